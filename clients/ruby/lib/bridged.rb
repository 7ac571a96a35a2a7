# frozen_string_literal: true

# Tests the bridge of a page with bridged. It is the gem `bridged`; or copy this file beside your tests: it needs Ruby 3.0,
# and nothing else. With Capybara, `require "bridged/capybara"`.
#
#     Bridged.start do |app|                       # a daemon of its own, on a free port
#       app.open("/demo/")                         # in a Chromium without a window
#       app.tap("#register-push-token")
#       app.next_message("RegisterPushToken")["verdict"]["outcome"]   # => "handled"
#     end
#
# clients/README.md and docs/test.md list the methods, and docs/control.md what `call` can do. Times are seconds.

require "fileutils"
require "json"
require "net/http"
require "open3"
require "openssl"
require "socket"
require "tempfile"
require "time"
require "timeout"
require "tmpdir"

module Bridged
  # The daemon cannot do what was asked, or cannot be reached. The message says how to fix it.
  class Error < StandardError
    attr_reader :code, :data

    # What controls a terminal. A page may have written a part of the message.
    CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/.freeze
    private_constant :CONTROLS

    def initialize(message = nil, code = 0, data = nil)
      text = message.to_s.scrub
      # A code that is positive is WebKit's, and its message the page's.
      text = text.gsub("\n", '\u000a') if code.positive?
      super(text.gsub(CONTROLS) { |found| format('\u%04x', found.ord) })
      @code = code
      @data = data || {}
    end
  end

  # What was waited for did not come in time.
  class TimedOut < Error; end

  # A message came that was not expected.
  class Unexpected < Error; end

  class << self
    # The name of the test that runs, which bridged/minitest and bridged/rspec set. Traffic and logs name it.
    attr_accessor :current_test

    # How many seconds assertions wait that give no time: as long as Capybara's own, if it is there.
    def wait_time = defined?(::Capybara.default_max_wait_time) ? ::Capybara.default_max_wait_time : 5
  end

  # Starts the daemon that BRIDGED names, or `bridged` on PATH. It ends with this process at the latest, and after the
  # block, if there is one.
  #
  # Settings are the options of `bridged serve`: `Bridged.start(port: 2734, root_url: "http://localhost:3000")`.
  def self.start(**settings)
    program = System.bridged
    options = { port: 0, **settings }.flat_map do |name, values|
      Array(values).select(&:itself).map { |value| "--#{name.to_s.tr("_", "-")}#{"=#{value}" unless value == true}" }
    end
    client = Client.new(*System.serve([program, "serve", "--json", *options]))
    return client unless block_given?

    begin
      yield client
    ensure
      client.close
    end
  end

  # Finds a daemon that runs: that at `url` or BRIDGED_URL, or the one on port 2734, or the only one.
  # A daemon of another user or machine needs its token, here or in BRIDGED_TOKEN. The client has all messages that the daemon
  # keeps; with `latest` only those that come from now on.
  def self.connect(url = ENV["BRIDGED_URL"], token: ENV["BRIDGED_TOKEN"], latest: false)
    Client.new(found(url, token), latest: latest)
  end

  # Returns the address and the token of the daemon for `connect`.
  def self.found(url, token)
    return { "url" => url, "token" => token } if url && token

    running, others = System.running
    found = running.select { |daemon| !url || System.address(url) == System.address(daemon["url"]) }
    usual = found.select { |daemon| System.address(daemon["url"])[1] == 2734 }
    found = usual unless usual.empty?
    raise Error, "No daemon of yours runs#{" at #{url}" if url}. Start one with: bridged serve#{others}" if found.empty?
    raise Error, "Several daemons run. Name one: #{found.map { |daemon| daemon["url"] }.join(", ")}" if found.size > 1

    { **found[0], "token" => token || found[0]["token"] }
  end
  private_class_method :found

  # A daemon, and the page that it shows. `close` it.
  class Client
    attr_reader :url
    # What the test did, for its trace.
    attr_reader :steps

    def initialize(endpoint, process = nil, latest: false)
      @url, @token = endpoint.values_at("url", "token")
      @process = process
      @owner = Process.pid
      @line = Mutex.new
      @first = 0
      @taken = []
      @stubs = []
      @steps = Steps.new
      System.at_end { close }
      @first = last_record if latest
    end

    # Closes the browser that `open` has started, and stops the daemon that `start` has started.
    def close
      return unless Process.pid == @owner # A fork must not end the processes of its parent.

      close_browser
      hang_up
      System.stop(@process) if @process
      @process = nil
    end

    # Calls a control method, with the names that docs/control.md gives, and returns its result.
    def call(method, **params)
      body = JSON.generate({ jsonrpc: "2.0", id: 1, method: method, params: params }, max_nesting: 0)
      status, text = exchange(body, params.fetch(:timeoutMs, 60_000) / 1000.0 + PATIENCE)
      answer = begin
        JSON.parse(text, max_nesting: DEEPEST_ANSWER)
      rescue JSON::ParserError, EncodingError, SystemStackError
        nil
      end
      result, error = answer.values_at("result", "error") if answer.is_a?(Hash)
      return result if result.is_a?(Hash)
      unless error.is_a?(Hash) && error["code"].is_a?(Integer) && error["message"].is_a?(String)
        raise strange(method, "a JSON-RPC response to #{method}", text, " with HTTP status #{status}")
      end

      kind = [1, -32_005].include?(error["code"]) ? TimedOut : Error
      raise kind.new(error["message"], error["code"], error["data"].is_a?(Hash) ? error["data"] : nil)
    end

    # Shows a page, in a browser without a window if there is none yet. A path is the daemon's own.
    #
    # bridged drives "chromium", "firefox" and "webkit". Pages in "chromium+tag" need the script tag. Waits for the page's
    # load event, and for the app's visit of it; with until: "attached" only until it attaches.
    # A driven browser imitates a `device`, "none" for a desktop browser, and shows a window unless it is `headless`.
    def open(url, timeout: 30, until: "load", browser: "chromium", device: nil, headless: true)
      readiness = binding.local_variable_get(:until).to_s # `until` is a word of the language.
      @steps.add("open #{url}") { show(URI.join(@url, System.escape(url)).to_s, timeout, readiness, browser, device, headless) }
    end

    # Waits until a browser shows a page whose URL fits: a path, or a whole URL. * stands for any characters.
    def wait_for_page(url = "*", **options)
      call("pages.wait", url: url, **params(options))
    end

    # Runs a script in the page, and returns its completion value.
    def evaluate(source, **options)
      evaluated("script.evaluate", source: source, **params(options))
    end

    # Runs the body of an async function in the page, and returns what the function returns.
    def call_async(body, arguments = {}, **options)
      evaluated("script.callAsync", body: body, arguments: arguments, **params(options))
    end

    # Waits until an expression is true in the page, or in the page that replaces it.
    def wait_until(expression, timeout: 5)
      expecting("#{expression} to be true within #{timeout} s") do
        call("script.wait", condition: expression, **params(timeout: timeout))
      end
      nil
    end

    # Elements: a CSS selector, or a hash as in a flow, such as { role: "button", name: "Save" }. Each call waits until a
    # user can do it. A browser that bridged drives gets real input.

    def tap(element, timeout: 5) = act("tap", element, timeout)

    # Replaces what a field contains.
    def fill(element, text, timeout: 5) = act("fill", element, timeout, text: text)

    # Types with one key for each character, into what has the focus if no element is named.
    def type(text, element = nil, timeout: 5) = act("type", element, timeout, text: text)

    # Presses a key, such as "Enter" or "a".
    def press(key, element = nil, timeout: 5) = act("press", element, timeout, key: key)

    # Selects the options of a <select> with these labels or values, and no others.
    def select(element, *options, timeout: 5) = act("select", element, timeout, options: options)

    def check(element, timeout: 5) = act("check", element, timeout)

    def uncheck(element, timeout: 5) = act("uncheck", element, timeout)

    # Chooses files of this machine for an <input type=file>.
    def choose_files(element, *paths, timeout: 5)
      act("chooseFiles", element, timeout, files: paths.map { |path| File.expand_path(path) })
    end

    def scroll_to(element, timeout: 5) = act("scrollTo", element, timeout)

    def hover(element, timeout: 5) = act("hover", element, timeout)

    def drag(element, to, timeout: 5) = act("drag", element, timeout, to: to)

    # Waits until an element is as expected: visible, enabled, checked, value, contains, count; without any, visible.
    def expect_element(element, timeout: 5, **expected) = expect_page({ element: element, **expected }, timeout)

    # Waits until the page shows a text.
    def expect_text(text, timeout: 5) = expect_page({ text: text }, timeout)

    # Waits until the page has this path or URL; * stands for any characters.
    def expect_url(url, timeout: 5) = expect_page({ url: url }, timeout)

    def expect_title(title, timeout: 5) = expect_page({ title: title }, timeout)

    # Returns the earliest message that fits and that no call has returned, or waits for it.
    #
    # Filters are those of `messages.wait`: `match: {…}` is a part of the body, `handler: "nativeApp"` the handler,
    # `kind: "console"` another kind of record.
    def next_message(name = nil, timeout: 5, **filters)
      deadline = now + timeout
      after = @first
      fits = params(name: name, **filters)
      expecting("a record with #{text(fits)} within #{timeout} s") do
        loop do
          left = [0, deadline - now].max
          record = call("messages.wait", after: after, timeoutMs: left * 1000, **fits)
          after = member("messages.wait", record, "record", Integer)
          next if @taken.include?(after)

          @taken << after
          return record
        end
      end
    end

    # Fails if there is a message that fits and that no call has returned, or if one comes in this time.
    def expect_none(name = nil, timeout: 0.5, **filters)
      record = next_message(name, timeout: timeout, **filters)
      raise Unexpected, "Expected no such record, but this one came: #{text(record)}"
    rescue TimedOut
      nil
    end

    # Writes what the app shows, and its traffic since the last reset, as a page that any browser shows. `filter` chooses records.
    def save_trace(path, name: "A test", failure: "It failed.", filter: nil)
      Tempfile.create(["steps", ".json"]) do |steps|
        steps.write(@steps.to_json)
        steps.close
        options = { url: @url, after: @first, name: name, failure: failure[0, 20_000], filter: filter, steps: steps.path }
        values = options.compact.map { |key, value| "--#{key}=#{value}".tr("\0", "\u{fffd}") }
        output, status = Open3.capture2e({ "BRIDGED_TOKEN" => @token }, System.bridged, "trace", "save", path.to_s, *values)
        raise Error, "The trace cannot be written: #{output.strip}" unless status.success?
      end
    end

    # Writes a text into the traffic, such as the name of the test that begins, and returns the record's number.
    def note(text)
      ask("traffic.note", "record", Integer, text: text.to_s.scrub.byteslice(0, 8_000).scrub(""))
    end

    # The number of the latest record in the traffic.
    def last_record = ask("daemon.info", "counters.records", Integer)

    # Returns the records that fit and that the daemon keeps, the oldest first.
    def traffic(**filters)
      wanted = params(after: @first, limit: 10_000, **filters)
      records, more = [], true
      while more && records.size < wanted[:limit] # An answer has a part of many large records.
        part = call("traffic.query", **wanted, limit: wanted[:limit] - records.size)
        found, after = member("traffic.query", part, "records", Array), member("traffic.query", part, "next", Integer)
        more = part["more"]
        raise strange("traffic.query", "more records", text(part)) if more && (after <= wanted[:after] || found.empty?)

        records += found
        wanted[:after] = after
      end
      records
    end

    # Posts a message as the page would, and returns the reply.
    def post(handler, body, **options)
      evaluated("message.post", handler: handler, body: body, **params(options))
    end

    # Answers in place of a handler: `value: …`, `error: "text"`, `echo: true`, or `none: true` for no answer.
    def stub(handler, match: nil, web_view: nil, delay: nil, **reply)
      options = params(match: match, web_view: web_view, delay: delay)
      @stubs << ask("handlers.stub", "stub", String, handler: handler, reply: reply, **options)
      @stubs.last
    end

    # Removes what `stub` has returned.
    def unstub(stub)
      call("handlers.unstub", stub: stub)
      @stubs.delete(stub)
    end

    # Removes this client's stubs, takes the app back to a fresh install (stacks, cookies, storage, faults), and forgets the
    # traffic, for the next test with the same daemon. Browsers that bridged drives show about:blank after it.
    #
    # Returns what could not be cleared. With `close_browser`, it closes the browser that `open` has started, and with it what the
    # browser has stored, if it could not clear that.
    def reset(close_browser: false)
      remove_stubs
      left = ask("app.reset", "notCleared", Array)
      pages = driven_pages
      unless pages.empty?
        left += leave(pages)
        call("app.reset") # The pages could do something until they left.
      end
      left = [] if close_browser && left.any? && self.close_browser
      @first = last_record
      @steps.clear
      left
    end

    # Returns what the emulated app shows.
    def state
      call("app.state")
    end

    # Waits until the state contains this, as in `expect_app(title: "Posts", modal: [])`, and returns it.
    def expect_app(timeout: 5, **state)
      expecting("the app to show #{JSON.generate(state)} within #{timeout} s") do
        call("app.wait", state: state, **params(timeout: timeout))
      end
    end

    # Does what the app's user would, as in `perform("visit", url: "/posts")`, and returns the new state.
    def perform(action, **arguments)
      texts = [action, *arguments.map { |name, value| "#{name}: #{value.inspect}" unless SECRET.match?(name) }.compact]
      @steps.add(texts.join(" ")) { call("app.perform", action: action, **arguments) }
    end

    private

    def remove_stubs
      while (stub = @stubs.pop)
        begin
          call("handlers.unstub", stub: stub)
        rescue Error => e
          raise unless e.code == -32_602 # Somebody else has removed it.
        end
      end
    end

    # Returns the pages that driven browsers show, by their ids, but not empty ones.
    def driven_pages
      pages = ask("pages.list", "pages", Array).select do |page|
        page.is_a?(Hash) && page["page"].is_a?(String) && page["attached"] && page["engine"] && !page["device"] &&
          page["frame"].is_a?(Hash) && page["frame"]["isMainFrame"] && page["frame"]["url"] != "about:blank"
      end
      pages.to_h { |page| [page["page"], page] }
    end

    # Sends these pages to about:blank, because a page that lives on would post messages in the next test. Returns what it could
    # not do; a browser that this client has started is closed in that case.
    def leave(pages)
      pages.each_key do |page|
        call("page.navigate", url: "about:blank", page: page, timeoutMs: 5_000)
      rescue Error
        nil # It may have left by itself.
      end
      deadline = now + 5
      until left?(pages)
        return close_browser ? [] : ["pages that do not leave: #{pages.keys.join(", ")}"] if now > deadline

        sleep 0.01
      end
      []
    end

    # Whether these pages are gone, and `open` finds a page in the main web view if one of them was there.
    def left?(pages)
      shown = ask("pages.list", "pages", Array).select { |page| page.is_a?(Hash) && page["attached"] }
      had_main, has_main = [pages.values, shown].map { |some| some.any? { |page| page["webView"] == "main" } }
      shown.none? { |page| pages.key?(page["page"]) } && (has_main || !had_main)
    end

    def show(url, timeout, readiness, browser, device, headless)
      System.check_server(url) if url.start_with?("http") && !url.start_with?(@url)
      deadline = now + timeout
      after = last_record
      pages = ask("pages.list", "pages", Array)
      if pages.any? { |page| shows_main?(page) }
        call("origins.add", origin: url)
        call("page.navigate", url: url, webView: "main")
      elsif browser == "chromium+tag"
        launch = call("page.launch", url: url)
        open_browser(member("page.launch", launch, "url", String), launch["userAgent"])
      else
        drive(browser, url, device, headless)
      end
      expecting("#{url} to attach within #{timeout} s; its first script must be #{@url}bridge.js") do
        loop do
          left = [0, deadline - now].max * 1000
          record = call("messages.wait", after: after, timeoutMs: [left, 500].min, filter: "kind:page,problem")
          break if record.values_at("event", "webView") == %w[attached main]
          raise Error, "#{record["text"]}. #{record["hint"]}" if record["code"] == "scriptMissing"

          after = member("messages.wait", record, "record", Integer)
        rescue TimedOut
          check_driver
          raise if left <= 500
        end
      end
      return if readiness == "attached"

      left = [0, deadline - now].max
      expecting("#{url} to load within #{timeout} s") do
        wait_for_page(web_view: "main", timeout: left, until: readiness)
      end
      nil
    end

    # All clients together make a daemon hold at most so much, by default.
    LARGEST_ANSWER = 256 << 20
    LARGEST_HEAD = 64 << 10
    # How deeply a daemon nests arrays and objects at most, with some room for what is around them.
    DEEPEST_ANSWER = 2_100
    # How many seconds an answer may take beyond the time that its call may wait.
    PATIENCE = 10
    # The arguments of actions that no trace shows, as in the daemon's records.
    SECRET = /password|token|secret/i
    IS_IT_BRIDGED = "Is it bridged? Give the address that `bridged serve` prints."
    private_constant :LARGEST_ANSWER, :LARGEST_HEAD, :DEEPEST_ANSWER, :PATIENCE, :SECRET, :IS_IT_BRIDGED

    # Posts a call, and returns the status and the body of the answer, which must be complete in time.
    def exchange(body, seconds)
      uri = URI(@url)
      # Without "identity" a small answer could become a large one.
      headers = { "Authorization" => "Bearer #{@token}", "Content-Type" => "application/json", "Accept-Encoding" => "identity" }
      options = { use_ssl: uri.scheme == "https", open_timeout: seconds, read_timeout: seconds + 1 }
      # The time-out for reading begins anew with each byte.
      answer = Timeout.timeout(seconds) do
        post_rpc(uri, body, headers, options)
      end
      text = (answer.body || "").force_encoding("UTF-8")
      raise EOFError, "the answer is cut" if answer.content_length&.>(text.bytesize)

      [answer.code, text]
    rescue LimitedHTTP::TooLarge => e
      raise Error, "The server at #{@url} sends #{e.message}. #{IS_IT_BRIDGED}"
    rescue Timeout::Error
      raise Error, "The daemon at #{@url} did not answer within #{seconds.round(3)} s. Does it still run?"
    rescue SystemCallError, IOError, SocketError, Net::ProtocolError, Net::HTTPBadResponse, Net::HTTPHeaderSyntaxError,
           OpenSSL::SSL::SSLError => e
      raise Error, "The daemon at #{@url} cannot be reached: #{e.message[0, 300]}. Does it still run?"
    end

    # Posts a call over the connection of the last one. A connection of its own serves a call that comes meanwhile, and one
    # after a fork: a child must not write into the connection of its parent.
    def post_rpc(uri, body, headers, options)
      # Without the nil it would go through the proxy that http_proxy names.
      fresh = -> { LimitedHTTP.start(uri.hostname, uri.port, nil, **options, keep_alive_timeout: 60) }
      unless Process.pid == @owner && @line.try_lock
        http = fresh.call
        return http.post("/rpc", body, headers).tap { http.finish }
      end

      begin
        @http ||= fresh.call
        @http.read_timeout = options[:read_timeout]
        @http.count_anew
        answer = @http.post("/rpc", body, headers)
      ensure
        hang_up unless answer # What is left of the answer must not be taken for the next one.
        @line.unlock
      end
    end

    def hang_up
      @http&.finish
    rescue IOError
      nil # It is closed already.
    ensure
      @http = nil
    end

    # An HTTP client that reads no endless answer, neither its header nor its body.
    class LimitedHTTP < Net::HTTP
      class TooLarge < StandardError; end

      # Begins to count the bytes of another answer.
      def count_anew = @count = Count.new

      def connect
        super
        count_anew
        client = self
        @socket.io.define_singleton_method(:read_nonblock) do |*arguments, **options|
          super(*arguments, **options).tap { |part| client.count.add(part) if part.is_a?(String) }
        end
      end

      attr_reader :count

      # How much of an answer has come.
      class Count
        def initialize
          @size = 0
          @head = +""
        end

        def add(part)
          @size += part.bytesize
          @head = nil if @head && (@head << part).include?("\r\n\r\n")
          limit = @head ? LARGEST_HEAD : LARGEST_ANSWER
          raise TooLarge, "#{@head ? "a header" : "an answer"} of more than #{limit} bytes" if @size > limit
        end
      end
    end
    private_constant :LimitedHTTP

    # Returns a member of a method's result, which must have this type.
    def ask(method, path, kind, **params)
      member(method, call(method, **params), path, kind)
    end

    # Returns the member to which names lead, with dots between them.
    def member(method, result, path, kind)
      value = path.split(".").reduce(result) { |found, name| found[name] if found.is_a?(Hash) }
      value.is_a?(kind) ? value : raise(strange(method, "#{kind} #{path}", text(result)))
    end

    def evaluated(method, **params)
      result = call(method, **params)
      begin
        Value.of(result)
      rescue NoMethodError, TypeError, ArgumentError, IndexError, RangeError, EncodingError
        raise strange(method, "a script value", text(result))
      end
    end

    # Returns an error about an answer that no daemon gives.
    def strange(method, expected, found, status = "")
      Error.new("The server at #{@url} refuses #{method}: #{found.scrub[0, 300].strip}. This client expected #{expected}, " \
                "and found this#{status}. #{IS_IT_BRIDGED}")
    end

    def shows_main?(page)
      page.is_a?(Hash) && page["attached"] && page["webView"] == "main" && page["frame"].is_a?(Hash) &&
        page["frame"]["isMainFrame"]
    end

    def now
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end

    # Gives options the names of docs/control.md, turns seconds into milliseconds, and leaves out nil.
    def params(options)
      options.compact.to_h do |name, value|
        case name
        when :timeout, :delay then [:"#{name}Ms", value * 1000]
        when :web_view then [:webView, value]
        else [name, value]
        end
      end
    end

    # Adds what was expected, and the latest traffic, to a time-out.
    def expecting(what)
      yield
    rescue TimedOut => e
      records = traffic(filter: "-kind:evaluate,callAsync,result").last(10)
      latest = records.empty? ? " none" : records.map { |record| "\n  #{text(record)}" }.join
      raise TimedOut.new("Expected #{what}. The latest traffic:#{latest}", e.code, e.data), cause: nil
    end

    # Returns the value as JSON for a message, without what is the same in most records.
    def text(value)
      value = value.reject { |key, _| %w[time url webView direction].include?(key) } if value.is_a?(Hash)
      JSON.generate(value, max_nesting: 0)[0, 300]
    end

    def act(action, element, timeout, **fields)
      name = element ? "an element #{element.is_a?(String) ? element : JSON.generate(element)}" : "the focus"
      @steps.add("#{action} #{name.delete_prefix("an element ")}") do
        expecting("#{name} to #{action} within #{timeout} s") do
          call("page.act", action: action, **params(element: element, timeout: timeout), **fields)
        end
      end
      nil
    end

    def expect_page(expected, timeout)
      expecting("the page to show #{JSON.generate(expected)} within #{timeout} s") do
        call("page.expect", **expected, **params(timeout: timeout))
      end
      nil
    end

    def drive(browser, url, device, headless)
      close_browser
      @profile = Dir.mktmpdir("bridged-")
      options = [("--device=#{device}" if device), ("--headless" if headless)].compact
      command = [System.bridged, "open", url, "--in=#{browser}", "--url=#{@url}", *options]
      @browser = System.spawn(command, err: File.join(@profile, "errors"))
    end

    # Says why the browser that bridged drives has ended, if it has.
    def check_driver
      return if @browser.nil? || @browser.alive? || @browser.value.success?

      errors = File.join(@profile, "errors")
      lines = File.exist?(errors) ? File.readlines(errors) : []
      # The inspector's address has the token in it.
      raise Error, "The browser has ended. #{lines.grep_v(/\AInspect /).join}".strip
    end

    def open_browser(url, user_agent)
      close_browser
      program = ENV["CHROME_BIN"] || System.find("chromium", "chromium-browser", "google-chrome") or
        raise Error, "There is no Chromium on PATH. Install it, or name it in CHROME_BIN."
      # With this, stubs may answer dialogs, and any other one is dismissed; by itself Chromium would wait for a user.
      call("handlers.stub", handler: "window.alert", reply: { none: true })
      @profile = Dir.mktmpdir("bridged-")
      root = Process.uid.zero? ? ["--no-sandbox"] : [] # The sandbox refuses to run as root.
      agent = user_agent ? ["--user-agent=#{user_agent}"] : []
      command = [program, *CHROMIUM, *root, *agent, "--user-data-dir=#{@profile}", url]
      @browser = System.spawn(command)
    end

    # Returns whether there was one.
    def close_browser
      return false unless @browser

      System.stop(@browser)
      @browser = nil
      FileUtils.rm_rf(@profile)
      true
    end

    # Chromium makes no requests of its own, and does not slow down pages that are behind another window.
    CHROMIUM = %w[
      --headless=new --disable-gpu --no-first-run --disable-background-networking --disable-component-update
      --disable-sync --password-store=basic --disable-dev-shm-usage --disable-popup-blocking
      --disable-background-timer-throttling --disable-renderer-backgrounding --disable-backgrounding-occluded-windows
    ].freeze
  end

  # What a test did, in its order, for its trace.
  class Steps
    # A trace shows so many, the latest.
    LIMIT = 500
    private_constant :LIMIT

    def initialize
      @all = []
    end

    # Does something, which is a step, or a part of the one that is under way.
    def add(text)
      return yield if @current

      # Tests stop the clock that Time.now shows.
      time = Time.at(Process.clock_gettime(Process::CLOCK_REALTIME)).utc
      @current = { text: text.to_s, time: time.iso8601(6), begun: now }
      begin
        result = yield
        @current[:isDone] = true
        result
      ensure
        step, @current = @current, nil
        keep(step)
      end
    end

    # Adds to the text of the step that is under way what it is about. The first call counts.
    def about(text)
      return if @current.nil? || @current[:isNamed]

      @current[:isNamed] = true
      @current[:text] += " #{text}"
    end

    def clear = @all.clear

    def to_json(*) = JSON.generate(@all.map { |step| step.slice(:text, :time, :milliseconds) })

    private

    def keep(step)
      last = @all.last
      if last && !last[:isDone] && last[:text] == step[:text]
        # Capybara does again what has failed.
        last[:isDone] = step[:isDone]
      else
        @all << (last = step)
        @all.shift if @all.size > LIMIT
      end
      last[:milliseconds] = ((now - last[:begun]) * 1000).round
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end

  # Programs and files.
  module System
    module_function

    # Ends the process group of a program within a second of this process, even if this one is killed.
    WATCH =
      '(while kill -0 $PPID && kill -0 $$; do sleep 1; done; kill -KILL -$$) </dev/null >/dev/null 2>&1 & exec "$@"'

    # How many seconds a daemon may take to write its first line, and how long the line may be.
    START_TIME = 60
    LONGEST_LINE = 64 << 10

    # The executable that this gem carries, if it is one for this platform; libexec/bridged is that of the relocatable folder.
    CARRIED = %w[bin/bridged bridged].map { |path| File.expand_path("../libexec/#{path}", __dir__) }.freeze

    # The executable: the one that BRIDGED names, that of the gem, or the one on PATH.
    def bridged
      ENV["BRIDGED"] || carried || find("bridged") { |path| !ruby?(path) } or
        raise Error, "There is no bridged on PATH, and this gem carries none. Install the gem for this platform, or name the " \
                     "executable in BRIDGED."
    end

    def carried = CARRIED.find { |path| File.file?(path) && File.executable?(path) }

    # Starts a program in a process group of its own. Returns a thread that waits for its end.
    def spawn(command, out: File::NULL, err: File::NULL)
      shell = ["/bin/sh", "-c", WATCH, "sh", *command]
      Process.detach(Process.spawn(*shell, in: File::NULL, out: out, err: err, pgroup: true))
    end

    # Ends a program, and kills what is left of its process group after 5 seconds.
    def stop(process)
      signal(:TERM, process.pid)
      process.join(5)
      signal(:KILL, -process.pid)
      process.join
    end

    def signal(name, process)
      Process.kill(name, process)
    rescue Errno::ESRCH
      nil
    end

    # Starts a daemon. Returns the contents of its discovery file, and the process.
    def serve(command)
      reader, writer = IO.pipe
      errors = Tempfile.create
      process = spawn(command, out: writer, err: errors)
      writer.close
      first = first_line(reader, process) or raise Error, "bridged did not start: #{errors.tap(&:rewind).read.strip}"
      # The daemon writes its traffic there too, and would wait for a reader.
      Thread.new { IO.copy_stream(reader, File::NULL) }
      [started(first) || not_started(process, first), process]
    ensure
      File.unlink(errors)
      errors.close
    end

    # Returns the first line that a program writes, or the beginning of one that is too long; nil if it ends without one.
    def first_line(reader, process)
      Timeout.timeout(START_TIME) { reader.gets("\n", LONGEST_LINE) }
    rescue Timeout::Error
      stop(process)
      raise Error, "bridged did not start: it has written no line in #{START_TIME} s. Does BRIDGED, or PATH, lead to bridged?"
    end

    # Returns the contents of the discovery file that a daemon names in its first line; nil if it is no daemon.
    def started(line)
      endpoint(JSON.parse(line)["runFile"], locked: false)
    rescue SystemCallError, JSON::ParserError, EncodingError, TypeError, NoMethodError, SystemStackError
      nil
    end

    def not_started(process, line)
      stop(process)
      raise Error, "bridged did not start: expected a line of JSON that names its runFile, found #{line.scrub[0, 300].strip}. " \
                   "Does BRIDGED, or PATH, lead to bridged?"
    end

    # Returns the daemons that run, whose discovery files hold a lock (docs/protocol.md, "Security"), and a sentence about the
    # files that are not those of daemons.
    def running
      runtime, temporary = ENV.values_at("XDG_RUNTIME_DIR", "TMPDIR").map { |path| path if path&.start_with?("/") }
      folder = runtime ? "#{runtime}/bridged" : "#{temporary || "/tmp"}/bridged-#{Process.uid}"
      # Another user could have made this folder, with files that lead elsewhere.
      return [[], ""] unless File.directory?(folder) && !File.symlink?(folder) && File.stat(folder).uid == Process.uid

      if File.stat(folder).mode.anybits?(0o022)
        return [[], ". Other users can write to #{folder}, so it is not read. Correct it with: chmod 700 #{folder}"]
      end

      others = []
      found = Dir["#{folder}/*.json"].sort.filter_map do |path|
        endpoint(path, locked: true)
      rescue Errno::ENOENT
        nil # The daemon has just ended.
      rescue SystemCallError, ArgumentError
        others << File.basename(path)
        nil
      end
      shown = others.first(10).join(", ") + (others.size > 10 ? ", …" : "")
      [found, others.empty? ? "" : ". These files in #{folder} are not those of daemons: #{shown}"]
    end

    # Returns the contents of a discovery file; nil if it has to be locked, and is not: then its daemon was killed. A file that
    # is something else is an ArgumentError.
    def endpoint(path, locked:)
      # Without NONBLOCK, opening a pipe would wait for a writer.
      File.open(path, File::RDONLY | File::NONBLOCK | File::NOFOLLOW) do |file|
        raise ArgumentError, "not a file" unless file.stat.file?
        return nil if locked && file.flock(File::LOCK_SH | File::LOCK_NB)
        raise ArgumentError, "too large" if file.size > 64 << 10

        daemon = JSON.parse(file.read.force_encoding("UTF-8"))
        url, token = daemon.values_at("url", "token") if daemon.is_a?(Hash)
        right = url.is_a?(String) && token.is_a?(String) && URI(url).is_a?(URI::HTTP) && URI(url).host
        right ? daemon : raise(ArgumentError, "not a discovery file")
      end
    rescue JSON::ParserError, EncodingError, URI::Error, SystemStackError => e
      raise ArgumentError, e.message
    end

    # Does something when the tests of this process are over. Minitest runs its tests in a block of at_exit, and a block that
    # is registered before they run would come first. But a process that only uses Minitest's assertions (rspec-rails), or
    # that was forked to run a part of the tests, never calls the blocks of after_run.
    def at_end(&block)
      runs = defined?(::Minitest) && Process.pid == LOADED_BY && ::Minitest.class_variable_defined?(:@@installed_at_exit) &&
             ::Minitest.class_variable_get(:@@installed_at_exit)
      runs ? ::Minitest.after_run(&block) : Kernel.at_exit(&block)
    end

    # The process that has loaded this file. A fork of it is another one.
    LOADED_BY = Process.pid
    private_constant :LOADED_BY

    # Encodes what may not stand in a URL, such as a space or a letter with an accent, as the address bar of a browser does.
    def escape(url)
      url.to_s.gsub(/[^!-~]|["<>\\^`{|}]|%(?!\h\h)/) { |part| part.bytes.map { |byte| format("%%%02X", byte) }.join }
    end

    # Fails if nothing listens at an address.
    def check_server(url)
      uri = URI(url)
      Socket.tcp(uri.hostname, uri.port, connect_timeout: 5).close
    rescue SystemCallError, SocketError => e
      raise Error, "No server answers at #{url}: #{e.message}. Start the app's server."
    end

    # Returns the host and port of a URL. The names of this machine are one; no other host must get its token.
    def address(url)
      uri = URI(url)
      [%w[127.0.0.1 ::1].include?(uri.hostname) ? "localhost" : uri.hostname, uri.port]
    end

    # Returns the first of these programs that is on PATH, and for which the block, if there is one, returns true.
    def find(*names)
      folders = ENV.fetch("PATH", "").split(":")
      names.product(folders).map { |name, folder| "#{folder}/#{name}" }
           .find { |path| File.file?(path) && File.executable?(path) && (!block_given? || yield(path)) }
    end

    # Whether a program is a script in Ruby, as the one with which RubyGems starts this gem's `bridged`. It would look for
    # the executable again, and find itself.
    def ruby?(path)
      File.open(path, "rb") { |file| file.read(100) }.to_s[/\A#!.*/].to_s.include?("ruby")
    rescue SystemCallError
      false # It can be run, but not read.
    end
  end

  # The values of scripts and replies, with dates and what else JSON cannot express (docs/protocol.md, "Script values").
  module Value
    module_function

    NUMBERS = {
      "NaN" => Float::NAN, "Infinity" => Float::INFINITY, "-Infinity" => -Float::INFINITY, "-0" => -0.0
    }.freeze

    def of(result)
      root = { "" => result["value"] }
      # References come last, because they may lead to values that are replaced.
      (result["types"] || {}).sort_by { |_, kind| kind == "ref" ? 1 : 0 }.each do |pointer, kind|
        holder, key = place(root, pointer)
        holder[key] = revive(root, kind, holder[key])
      end
      root[""]
    end

    def revive(root, kind, value)
      case kind
      when "number" then NUMBERS[value]
      when "date" then value && Time.iso8601(value.delete_prefix("+"))
      when "utf16" then value.pack("S<*").force_encoding("UTF-16LE").encode("UTF-8", invalid: :replace)
      when "ref" then place(root, value).then { |holder, key| holder[key] }
      end
    end

    # Returns the object or array, and the key, to which a JSON Pointer leads.
    def place(root, pointer)
      *path, last = ["", *pointer.split("/", -1).drop(1)].map { |part| part.gsub("~1", "/").gsub("~0", "~") }
      holder = path.reduce(root) { |found, part| found[found.is_a?(Array) ? part.to_i : part] }
      [holder, holder.is_a?(Array) ? last.to_i : last]
    end
  end
end

# Bundler requires this file; a Rails app gets the rest by itself.
require_relative "bridged/rails" if defined?(Rails::Railtie)
