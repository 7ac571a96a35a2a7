# frozen_string_literal: true

require "addressable/uri"
require "base64"
require "fileutils"

module Bridged
  module Capybara
    # Drives a browser of bridged. One daemon and one browser serve all tests; `reset!` forgets what a test has left.
    class Driver < ::Capybara::Driver::Base
      # @param options those of `bridged serve`, and `browser` ("chromium"), `device` (a phone by its name, or "none"),
      #   `window_size` ([width, height]), `headless` (true), `timeout` (30 s for a page), `platform` (:ios or :android, or
      #   `framework: "ios@1.3"`)
      def initialize(rack_app, browser: "chromium", device: nil, window_size: nil, headless: true, timeout: 30,
                     platform: nil, **options)
        super()
        @rack_app = rack_app
        @browser = browser
        @window = { device: device, headless: headless }
        @size = window_size
        @timeout = timeout
        @settings = platform ? { framework: platform.to_s, **options } : options
      end

      # The client of the daemon, which starts with the first call. Whoever asks for it may leave something in the daemon, such as
      # a stub, also without a visit. Capybara resets only the sessions that it has used itself.
      def app
        start unless @app
        @is_used = true
        @session&.instance_variable_set(:@touched, true)
        @app
      end

      def page
        start unless @app
        @page
      end

      def windows
        start unless @app
        @windows
      end

      def wait? = true

      def needs_server? = true

      # ---- Pages ----

      # Opens a page as the address bar of a browser would, in the web view of the main stack: a modal does not stay. Returns when
      # the app's visit is over.
      def visit(path)
        note_test
        app.steps.add("visit #{path}") do
          page.frames.clear
          url = address(path)
          @is_open ? show(url) : open(url)
        end
      end

      # Without a page, there is nothing to load again, and no history.
      def refresh = blank? || step("refresh") { loads { navigate(reload: true) } }

      def go_back = !@is_open || step("go back") { loads(limit: 1) { navigate(delta: -1) } }

      def go_forward = !@is_open || step("go forward") { loads(limit: 1) { navigate(delta: 1) } }

      def current_url = blank? ? "about:blank" : page.page("url")

      def title = blank? ? "" : page.page("title")

      def frame_title = page.page("frameTitle")

      def frame_url = page.page("frameURL")

      def html = blank? ? "<html><head></head><body></body></html>" : page.page("html")

      def status_code = windows.page&.fetch("status", nil)

      def find_xpath(query, **options) = find("xpath", query, nil, **options)

      def find_css(query, **options) = find("css", query, nil, **options)

      def find(kind, query, within, uses_visibility: false, texts: [], styles: nil, position: false, **)
        return [] if blank?

        hints = { visible: uses_visibility, texts: texts, styles: styles.is_a?(Hash) ? styles.keys.map(&:to_s) : nil,
                  position: position }
        page.find(kind, query, within, hints).map { |handle, tag, hint| Node.new(self, handle, tag, hint.transform_keys(&:to_sym)) }
      end

      def active_element = with_page { Node.new(self, page.page("active")) }

      def send_keys(*keys) = active_element.send_keys(*keys)

      # ---- Scripts ----

      def execute_script(script, *args)
        with_page { page.run(script, pack(args)) }
        nil
      end

      def evaluate_script(script, *args)
        with_page { unpack(page.run("return (#{script.strip.delete_suffix(";")}\n)", pack(args))) }
      end

      def evaluate_async_script(script, *args)
        with_page { unpack(page.run_async(script, pack(args), session_options.default_max_wait_time)) }
      end

      # ---- Frames and windows ----

      def switch_to_frame(frame)
        case frame
        when :top then page.frames.clear
        when :parent then page.frames.pop
        else
          page.node("frame", frame.native)
          page.frames << frame.native
        end
      end

      def current_window_handle
        windows.address
        windows.current
      end

      def window_handles = windows.handles

      def switch_to_window(handle)
        page.frames.clear unless handle == windows.current
        windows.switch_to(handle)
      end

      def open_new_window(_kind = :tab)
        before = window_handles
        execute_script("window.open('about:blank')")
        wait_until(5) { window_handles != before }
      end

      def close_window(handle)
        raise ArgumentError, "Not allowed to close the primary window" if handle == Windows::MAIN

        windows.within(handle) { page.run("window.close()", []) }
        wait_until(5) { !window_handles.include?(handle) }
      end

      def window_size(handle) = with_page { windows.within(handle) { page.page("size") } }

      def resize_window_to(handle, width, height)
        with_page { windows.within(handle) { app.call("page.emulate", width: width, height: height, **windows.address) } }
      end

      # There is no screen around a phone's page; this one is as large as a usual desktop.
      def maximize_window(handle) = resize_window_to(handle, 1366, 768)

      def fullscreen_window(handle) = maximize_window(handle)

      def no_such_window_error = NoSuchWindow

      # ---- Cookies ----

      # The cookies of the browser by their names, those that scripts do not see (HttpOnly), too.
      def cookies
        return {} unless @is_open

        app.call("cookies.list", **windows.address)["cookies"].to_h { |cookie| [cookie["name"], Cookie.new(cookie)] }
      end

      # Sets a cookie, also before the first visit: then for the host of Capybara's server or `app_host`.
      # @param hash the options, as Cuprite takes them
      # @option options `domain`, `path` ("/"), `secure`, `httponly`, `expires` (a time)
      def set_cookie(name, value, hash = {}, **options)
        store_cookie(name, value, **hash.transform_keys(&:to_sym), **options)
      end

      # Deletes the cookies of this name.
      def remove_cookie(name, domain: nil, path: nil)
        app.call("cookies.clear", **{ name: name.to_s, domain: domain, path: path }.compact, **windows.address) if @is_open
      end

      def clear_cookies
        app.call("cookies.clear", **windows.address) if @is_open
      end

      # ---- Dialogs ----

      def accept_modal(type, text: nil, with: nil, wait: nil, **, &block)
        answer(type, { alert: { none: true }, confirm: { value: true }, prompt: { value: with || true } }, text, wait, &block)
      end

      def dismiss_modal(type, text: nil, wait: nil, **, &block)
        answer(type, { alert: { none: true }, confirm: { value: false }, prompt: { value: nil } }, text, wait, &block)
      end

      # ---- The rest ----

      def save_screenshot(path, **)
        # The daemon would wait for a page.
        raise Error, "There is no picture, because no page has been opened." unless @is_open

        File.binwrite(path, Base64.decode64(app.call("page.snapshot", **windows.address)["data"]))
        path
      end

      # Writes the trace of a test that has failed, without the driver's own scripts.
      def save_trace(path, name:, failure:)
        FileUtils.mkdir_p(File.dirname(path))
        app.save_trace(path, name: name, failure: failure, filter: "-kind:evaluate,callAsync,result")
      end

      def invalid_element_errors = [ElementError]

      # Takes the app back to a fresh install, and closes what pages have opened. Nobody waits for the empty page: the next
      # visit replaces it.
      def reset!
        return unless @app && @is_used

        leave_pages if @is_open
        app.reset
        @is_blank = true
        @is_used = false
      end

      def quit
        @app&.close
        @app = nil
        @is_open = @is_blank = @is_used = false
        @origins = nil
        @noted = nil
      end

      # Whether the daemon has been started.
      def running? = !@app.nil?

      # ---- For nodes ----

      # Whether the browser sometimes loses input (docs/notes/capybara.md).
      def loses_input? = @browser == "firefox"

      # Does what a user does with a mouse and keys. If it `settles`, waits for what the page makes of it: a new page.
      # @return false if it settles, and the page has seen no press of a button
      def input(steps, settles: false)
        return if steps.empty?

        before = page_id if settles
        app.call("page.input", type: "steps", steps: steps, **windows.address)
        settle(before: before) if settles
      rescue Bridged::Error => e
        # The input has closed the window.
        raise unless page.gone?(e)
      end

      # Waits until the page has handled the latest input, and until a load that it began is over. The app may show another
      # web view by then, such as that of its modal.
      def settle(before: nil, waits: true)
        # How long a page may take to begin a load. A browser that loses input is asked for longer.
        milliseconds = loses_input? ? 600 : 300
        state = page.wait("settle", waits ? milliseconds : 0, document: before)
        load_ends(before, 2) if state["leaves"]
        state["isSeen"] || state["leaves"]
      rescue Bridged::Error => e
        raise unless page.gone?(e)

        load_ends(before, 2)
      end

      # Does something by script, and waits for what the page makes of it.
      def act_by_script
        before = page_id
        result = yield
        settle(before: before, waits: false)
        result
      end

      def wait_in_page(method, *values)
        page.wait(method, *values)
      end

      private

      def step(text, &block) = app.steps.add(text, &block)

      # Writes into the traffic which test begins. A test that visits nothing starts no daemon.
      def note_test
        return if Bridged.current_test.nil? || @noted == Bridged.current_test

        app.note(Bridged.current_test)
        @noted = Bridged.current_test
      end

      # The whole URL of a path, as ASCII. Without a server of Capybara's, a path is the daemon's own.
      def address(path)
        url = Addressable::URI.parse(path.to_s)
        url = Addressable::URI.join(app.url, url) if url.relative?
        url.host = url.normalized_host if url.host && !url.host.ascii_only?
        System.escape(url)
      end

      # Whether two URLs lead to the same page, whose fragments may differ. Browsers, the daemon and tests encode differently.
      def same_page?(one, other)
        one, other = [one, other].map { |url| Addressable::URI.parse(url).tap { |parsed| parsed.fragment = nil }.normalize }
        one == other
      rescue Addressable::URI::InvalidURIError
        false
      end

      # Loads a page in a browser that has one.
      def show(url)
        # A fragment of the page that is there loads nothing.
        stays = !blank? && url.include?("#") && same_page?(current_url, url)
        @is_blank = false
        add_origin(url)
        return navigate(url: url) if stays

        web_view = windows.main_web_view
        loads(to: url, in: web_view) { navigate(url: url, **{ webView: web_view }.compact) }
      end

      # The host that gets a cookie: that of the page, or before the first visit that of the app.
      def host
        url = blank? ? session_options.app_host || @session&.server&.base_url || app.url : current_url
        Addressable::URI.parse(url).normalized_host
      end

      # Whether no page was visited since the last reset.
      def blank? = !@is_open || @is_blank

      # Makes the page, or the one that takes its place meanwhile, load another one.
      def navigate(**params)
        tries = 0
        begin
          app.call("page.navigate", **params, **windows.address)
        rescue Bridged::Error => e
          raise unless page.gone?(e) && (tries += 1) < 50

          sleep 0.02
          retry
        end
      end

      # Pages of the app's origins get its web view. An origin is told once.
      def add_origin(url)
        origin = url[%r{\Ahttps?://[^/?#]+}]
        return if origin.nil? || (@origins ||= []).include?(origin)

        app.call("origins.add", origin: origin)
        @origins << origin
      end

      def start
        @app = Bridged.start(**@settings)
        @windows = Windows.new(@app)
        @page = Page.new(@app, @windows, @timeout)
        @dialogs = Dialogs.new(@app)
      end

      def open(url)
        since = app.last_record
        # A machine that is busy may take long to start a browser.
        app.open(url, timeout: [@timeout, 60].max, until: "attached", browser: @browser, **@window)
        @is_open = true
        load_ends(nil, @timeout, since, url)
      ensure
        # The window stays, also if its first page does not load.
        resize_window_to(Windows::MAIN, *@size) if @size && @is_open
      end

      # Does something that needs a page, also before the first visit: then the browser starts with the empty page.
      def with_page
        unless @is_open
          open("about:blank")
          @is_blank = true
        end
        yield
      end

      # Begins a load, and waits until it is over.
      # @option options [String] :in the web view that loads; nil for that of the page which the user sees
      def loads(limit: @timeout, to: nil, **options)
        web_view = options[:in]
        before, since = page_id(web_view), app.last_record
        yield
        load_ends(before, limit, since, to, web_view)
      end

      # The document that is shown.
      def page_id(web_view = nil) = windows.page(web_view)&.fetch("page")

      # Waits until another document than this one has loaded, or until an answer has come that brings none.
      #
      # @param since the number of the last record before the load began
      # @param url where it leads, if that is known. Then it is an error if neither comes in time.
      # @param web_view as for `loads`
      def load_ends(before, limit, since = nil, url = nil, web_view = nil)
        begun = now
        found = wait_until(limit) do
          page = windows.page(web_view)
          # The empty page of `reset!` may come late.
          is_next = page && page["page"] != before &&
                   (page["frame"]["url"] != "about:blank" || url == "about:blank" || windows.current != Windows::MAIN)
          has_answer = !is_next && url && now - begun > 0.5 && answered?(url, since)
          # The error of a page before may be there for a moment.
          fail_if_unreachable if has_answer || (url && now - begun > 1)
          break if has_answer

          page if is_next && page["readyState"] == "complete" && page["attached"]
        end
        raise TimedOut, "#{url} has not loaded within #{limit} s." if url && found == false

        visit_ends(found["webView"], [limit, VISIT].min) if found && windows.current == Windows::MAIN
      end

      # Whether the server has answered so long ago that a page would have come: the answer is a download, or has no content.
      def answered?(url, since)
        requests = app.traffic(kind: "request", after: since).select do |one|
          one["type"] == "document" || same_page?(one["requestURL"].to_s, url)
        end
        answer = requests.last
        return false if answer.nil? || (300..399).cover?(answer["status"])

        # On a busy machine a page may come late.
        comes = answer["failure"].nil? && answer["mimeType"].to_s.include?("html")
        # Tests stop the clock that Time.now shows.
        clock = Process.clock_gettime(Process::CLOCK_REALTIME)
        clock - Time.iso8601(answer["time"]).to_f > (comes ? 10 : 1)
      end

      # How many seconds the visit of a document that has loaded may take. The app has said by then why it does not end, in a
      # problem of its traffic.
      VISIT = 6
      private_constant :VISIT

      # Waits until Turbo in a document that has loaded is ready, or the app knows that there is none: a user could tap no
      # earlier.
      def visit_ends(web_view, limit)
        app.wait_for_page(web_view: web_view, timeout: limit, until: "load")
      rescue Bridged::Error
        nil # The page is there nevertheless.
      end

      # The app notices at once if nothing answers.
      def fail_if_unreachable
        screen = Screen.of(app.state)
        raise Error, "#{screen.path} cannot be shown: #{screen.error}" if screen.unreachable?
        sleep 0.1
      end

      # Calls a block until it returns something, and returns that; false if the time is over.
      def wait_until(seconds)
        deadline = now + seconds
        until (result = yield)
          return false if now > deadline

          sleep 0.005
        end
        result
      end

      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

      # Loads the empty page in each web view of the app, also in those of a modal and of other tabs: a page that stays could
      # write into the storage, and the next test would find it in the next modal. Waits until they are there, because a page
      # that is leaving could not be asked to forget, and the response of its last request could bring a cookie.
      def empty_windows
        empty = { url: "about:blank" }
        # The screen that the user sees may be a modal between two pages. The call waits for the next one.
        navigate(**empty) unless windows.page || windows.list.any? { |page| page["webView"] != "main" }
        left = windows.list
        names = ["main", *left.map { |page| page["webView"] }].uniq.grep_v(/\.popup\z/)
        left = left.map { |page| page["page"] }
        names.each { |name| navigate(**empty, webView: name) }
        wait_until(2) do
          shown = windows.list.select { |page| page["frame"]["url"] == empty[:url] && !left.include?(page["page"]) }
          (names - shown.map { |page| page["webView"] }).empty?
        end
      end

      def store_cookie(name, value, domain: nil, path: nil, secure: nil, httponly: nil, expires: nil)
        cookie = { name: name.to_s, value: value.to_s, domain: domain || host, path: path, secure: secure, httpOnly: httponly,
                   expires: expires&.to_i }
        with_page { app.call("cookies.set", **cookie.compact, **windows.address) }
      end

      def leave_pages
        page.frames.clear
        close_windows
        empty_windows
      end

      def close_windows
        windows.reset
        others = window_handles - [Windows::MAIN]
        others.each { |handle| close_window(handle) }
      rescue Bridged::Error
        nil # A window that is closing already.
      end

      # Other drivers take an alert for a confirmation, and the other way round.
      def answer(type, replies, text, wait, &block)
        raise ArgumentError, "A dialog is answered before it comes: accept_#{type} { click_on … }" unless block

        wait ||= session_options.default_max_wait_time
        replies = replies.slice(*(type == :prompt ? %i[prompt] : %i[alert confirm]))
        app # The daemon starts, if it does not run.
        @dialogs.answer(type, replies, text: text, wait: wait || 0, &block)
      end

      # Elements are handles in the page.
      def pack(value)
        case value
        when Array then value.map { |item| pack(item) }
        when Hash then value.transform_values { |item| pack(item) }
        when Node then { "bridged.node" => value.native }
        when ::Capybara::Node::Element then pack(value.base)
        else value
        end
      end

      def unpack(value)
        case value
        when Array then value.map { |item| unpack(item) }
        when Hash
          handle = value["bridged.node"]
          handle ? Node.new(self, handle) : value.transform_values { |item| unpack(item) }
        else value
        end
      end
    end
  end
end
