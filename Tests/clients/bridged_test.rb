# frozen_string_literal: true

# Tests of clients/ruby/lib/bridged.rb, with the daemon of the debug build, or the one that BRIDGED names.
require "minitest/autorun"
require "rbconfig"
require "socket"
require_relative "../../clients/ruby/lib/bridged"

ENV["BRIDGED"] ||= File.expand_path("../../.build/debug/bridged", __dir__)
RUNTIME = Dir.mktmpdir
ENV["XDG_RUNTIME_DIR"] = ENV["TMPDIR"] = RUNTIME
Minitest.after_run { FileUtils.rm_rf(RUNTIME) }

module Helpers
  # Whether a process runs. A zombie, without other threads, does not.
  def alive?(pid)
    !File.read("/proc/#{pid}/status").match?(/^State:\tZ.*^Threads:\t[01]$/m)
  rescue Errno::ENOENT, Errno::ESRCH
    false
  end

  def assert_ends(pid)
    deadline = now + 10
    sleep 0.02 while alive?(pid) && now < deadline
    refute alive?(pid)
  end

  def now
    Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end

  def assert_error(pattern, kind = Bridged::Error, &block)
    error = assert_raises(kind, &block)
    assert_match pattern, error.message
    error
  end

  def with_environment(variables)
    usual = ENV.to_h
    ENV.update(variables)
    yield
  ensure
    ENV.replace(usual)
  end

  def discovery_file(app)
    "#{RUNTIME}/bridged/#{URI(app.url).port}.json"
  end
end

class WithoutABrowserTest < Minitest::Test
  include Helpers

  def app
    @@app ||= Bridged.start(root_url: "http://localhost:3000", tab: ["Home=/", "Posts=/posts"])
  end

  def handlers
    app.call("handlers.list")["handlers"]
  end

  def test_settings_become_options
    assert_equal(%w[Home Posts], app.state["tabs"].map { |tab| tab["title"] })
  end

  def test_an_error_has_the_message_the_code_and_the_data
    error = assert_error(/Did you mean "script.evaluate"/) { app.call("script.evaluat") }
    assert_equal(-32_601, error.code)
    error = assert_error(/there is no stub 's99'/) { app.call("handlers.unstub", stub: "s99") }
    assert_equal [], error.data["stubs"]
  end

  def test_the_text_of_a_page_controls_no_terminal
    error = Bridged::Error.new("a\nb\e[2J\u009b\u202e", 4)
    assert_equal 'a\u000ab\u001b[2J\u009b\u202e', error.message
    assert_equal "expected\nfound", Bridged::Error.new("expected\nfound").message
  end

  def test_a_time_out_shows_what_was_expected_and_the_traffic
    app.call("origins.add", origin: "http://localhost:3000")
    expected = /"name":"Push".* within 0.01 s. The latest traffic:/
    assert_error(expected, Bridged::TimedOut) { app.next_message("Push", timeout: 0.01) }
    assert_error(/./, Bridged::TimedOut) { app.evaluate("1", timeout: 0.01) }
    assert_error(/x > 1 to be true/, Bridged::TimedOut) { app.wait_until("x > 1", timeout: 0.05) }
  end

  def test_none_of_the_options_is_lost
    stub = app.stub("camera", match: { front: true }, web_view: "modal", delay: 0.25, error: "no lens")
    found = handlers.find { |handler| handler["handler"] == "camera" }["stubs"][0]
    assert_equal ["modal", { "front" => true }, 250], found.values_at("webView", "match", "delayMs")
    app.unstub(stub)
  end

  def test_reset_removes_stubs_and_forgets_records
    app.stub("camera", value: nil)
    app.reset
    refute_includes handlers.map { |handler| handler["handler"] }, "camera"
    assert_empty app.traffic
  end

  def test_reset_removes_the_stubs_that_somebody_else_has_not_removed
    stub = app.stub("camera", value: nil)
    app.stub("lamp", value: nil)
    Bridged.connect(app.url).call("handlers.unstub", stub: stub)
    app.reset
    assert_empty handlers.flat_map { |handler| handler["stubs"] || [] }
  end

  def test_a_client_can_begin_with_the_latest_record
    app.note("before")
    all, latest = Bridged.connect(app.url), Bridged.connect(app.url, latest: true)
    app.note("after")
    texts = [all, latest].map { |client| client.traffic(kind: "app").map { |record| record["text"] } }
    assert_includes texts[0], "before"
    assert_equal ["after"], texts[1]
  end

  def test_finds_the_daemon_by_each_of_its_names
    port = URI(app.url).port
    [[], ["http://localhost:#{port}"], ["http://[::1]:#{port}"]].each do |url|
      assert_equal app.url, Bridged.connect(*url).url
    end
    ["http://example.com:#{port}", "http://localhost:1"].each do |url|
      assert_error(/No daemon of yours runs at #{url}/) { Bridged.connect(url) }
    end
  end

  def test_reads_no_folder_that_another_user_may_have_made
    Dir.mktmpdir do |folder|
      File.symlink(File.dirname(discovery_file(app)), "#{folder}/bridged")
      with_environment("XDG_RUNTIME_DIR" => folder) { assert_error(/No daemon of yours runs/) { Bridged.connect } }
    end
  end

  def test_a_wrong_token_is_explained
    app
    error = assert_error(/token that is not this daemon's/) { Bridged.connect(token: "wrong").state }
    assert_equal(-32_004, error.code)
  end

  def test_one_of_several_daemons_must_be_named
    app
    Bridged.start do |other|
      assert_error(/Several daemons run. Name one: .*#{other.url}/) { Bridged.connect }
      pid = other.call("daemon.info")["pid"]
      Process.kill(:KILL, pid)
      assert_ends pid
      assert File.exist?(discovery_file(other))
      assert_equal app.url, Bridged.connect.url
      assert_error(/#{other.url} cannot be reached/) { other.state }
      File.unlink(discovery_file(other))
    end
  end

  def test_a_fork_can_call_the_daemon_and_leaves_it_alone
    before = app.call("daemon.info")["pid"]
    child = fork do
      seen = app.call("daemon.info")["pid"]
      app.close
      exit!(seen == before)
    end
    assert Process.wait2(child)[1].success?
    assert_equal before, app.call("daemon.info")["pid"]
  end
end

class FalseDaemonTest < Minitest::Test
  include Helpers

  # Yields a client of a server that answers as it is told, not as bridged does.
  def with_false_daemon(behaviour)
    IO.popen(["python3", "-u", File.expand_path("false_daemon.py", __dir__), behaviour], "r+") do |server|
      yield Bridged.connect("http://127.0.0.1:#{Integer(server.gets)}/", token: "t")
    end
  end

  def assert_fails(behaviour, pattern, &call)
    with_false_daemon(behaviour) do |app|
      error = assert_error(pattern) { (call || :state.to_proc).call(app) }
      assert_includes error.message, app.url
      assert_operator error.message.size, :<, 1_000
    end
  end

  def result(value)
    JSON.generate({ jsonrpc: "2.0", id: 1, result: value })
  end

  def test_answers_have_a_limit_of_size
    assert_fails("endless", /sends an answer of more than 268435456 bytes/)
    %w[hugeHeader manyHeaders].each { |behaviour| assert_fails(behaviour, /sends a header of more than 65536 bytes/) }
    assert_fails("zipped", /expected a JSON-RPC response/)
    %w[cut noHTTP].each { |behaviour| assert_fails(behaviour, /cannot be reached/) }
  end

  def test_answers_have_a_limit_of_time
    began = now
    threads = %w[silent drip dripHeader].map do |behaviour|
      Thread.new { assert_fails(behaviour, /did not answer within 10.1 s/) { |app| app.call("daemon.info", timeoutMs: 100) } }
    end
    threads.each(&:join)
    assert_operator now - began, :<, 20
  end

  def test_answers_that_are_no_answers_are_shown
    assert_fails("errorPage", %r{refuses app.state: <h1>Bad Gateway</h1>.*HTTP status 502})
    error = JSON.generate({ jsonrpc: "2.0", id: 1, error: { code: "x", message: [] } })
    answers = ["nested", "7", "null", "[]", "{}", '"text"', '{"error": "no"}', '{"error": null}', error]
    answers.each { |answer| assert_fails(answer, /expected a JSON-RPC response to app.state/) }
  end

  def test_results_of_wrong_types_break_no_call
    calls = [
      ->(app) { app.open("/demo/", timeout: 0.1, browser: "chromium+tag") }, ->(app) { app.next_message("X", timeout: 0.1) },
      ->(app) { app.traffic }, ->(app) { app.stub("x", value: 1) }, ->(app) { app.reset }, ->(app) { app.evaluate("1") },
      ->(app) { app.post("x", 1) }
    ]
    results = [
      7, [], nil, { counters: 7, pages: 7, records: 7, stub: 7, notCleared: 7, record: "x", types: 7 },
      { counters: { records: 1 }, pages: [7, {}], records: [], more: true, next: 1, value: 1, types: { "/a" => "date" } },
      { counters: { records: 1 }, pages: [{ attached: true, webView: "main" }], records: 7, value: [1], types: { "/0" => "utf16" } },
      { value: [1], types: { "/0" => "date", "x" => 7 } }, { value: { a: 1 }, types: { "/a/b" => "ref" } },
      { value: "x", types: { "/a" => "number" } }, { value: ["x"], types: { "/0" => "utf16" } }
    ]
    results.each do |value|
      with_false_daemon(result(value)) do |app|
        calls.each do |call|
          call.call(app)
        rescue Bridged::Error
          nil
        end
      end
    end
  end

  def test_traffic_that_never_ends_is_given_up
    assert_fails(result({ records: [], more: true, next: 1 }), /traffic.query/, &:traffic)
  end

  def test_a_folder_that_others_can_write_to_is_not_read
    Dir.mktmpdir do |runtime|
      Dir.mkdir("#{runtime}/bridged")
      File.chmod(0o770, "#{runtime}/bridged")
      with_environment("XDG_RUNTIME_DIR" => runtime) { assert_error(/chmod 700/) { Bridged.connect } }
    end
  end

  def test_junk_in_the_folder_of_daemons_is_skipped_and_named
    Dir.mktmpdir do |runtime|
      Dir.mkdir(folder = "#{runtime}/bridged")
      texts = {
        text: "hello", binary: "\xFF\xFE", number: "7", list: "[]", empty: "{}", deep: "[" * 50_000,
        types: '{"url": 7, "pid": "x", "token": []}', url: '{"url": "http://localhost:1e9/", "pid": 1, "token": "t"}', huge: ""
      }
      texts.each { |name, text| File.binwrite("#{folder}/#{name}.json", text) }
      File.truncate("#{folder}/huge.json", 1 << 40) # A hole, larger than memory.
      locks = texts.keys.map { |name| File.open("#{folder}/#{name}.json").tap { |file| file.flock(File::LOCK_EX) } }
      Dir.mkdir("#{folder}/folder.json")
      File.mkfifo("#{folder}/pipe.json")
      File.symlink("/dev/zero", "#{folder}/link.json")
      with_environment("XDG_RUNTIME_DIR" => runtime) do
        assert_error(/not those of daemons: .*deep.json.*huge.json.*list.json/) { Bridged.connect }
        Bridged.start { |app| assert_equal app.url, Bridged.connect.url }
      end
      locks.each(&:close)
    end
  end

  def test_a_program_that_is_not_bridged_is_named
    with_environment("BRIDGED" => "/bin/echo") { assert_error(/bridged did not start: .*serve/) { Bridged.start } }
  end

  def test_a_program_that_says_too_much_is_named
    Dir.mktmpdir do |folder|
      program = File.join(folder, "bridged")
      File.write(program, "#!/bin/sh\nexec tr '\\0' x < /dev/zero\n", perm: 0o700)
      with_environment("BRIDGED" => program) { assert_error(/bridged did not start: .*found xxx/) { Bridged.start } }
    end
  end
end

class ProcessesTest < Minitest::Test
  include Helpers

  def test_a_wrong_option_is_explained
    assert_error(/did not start: error: Unknown option '--prot'. Did you mean '--port'/) { Bridged.start(prot: 1) }
    with_environment("BRIDGED" => "/nowhere/bridged") { assert_error(/not found/) { Bridged.start } }
    ENV["BRIDGED"].then do |program|
      ENV.delete("BRIDGED")
      with_environment("PATH" => "/nowhere") { assert_error(/on PATH/) { Bridged.start } }
    ensure
      ENV["BRIDGED"] = program
    end
  end

  def test_closes_if_the_test_fails
    pid = app = nil
    assert_raises(ZeroDivisionError) do
      Bridged.start do |started|
        app = started
        pid = app.call("daemon.info")["pid"]
        1 / 0
      end
    end
    refute alive?(pid)
    refute File.exist?(discovery_file(app))
  end

  def test_the_daemon_ends_with_a_killed_process
    script = 'require "./bridged"; puts Bridged.start.call("daemon.info")["pid"]; $stdout.flush; sleep'
    folder = File.expand_path("../../clients/ruby/lib", __dir__)
    pid = IO.popen([RbConfig.ruby, "-e", script], chdir: folder) do |child|
      child.gets.to_i.tap { Process.kill(:KILL, child.pid) }
    end
    assert_ends pid
  end

  # Minitest runs tests at exit, when a daemon of at_exit would have ended already.
  def test_a_daemon_that_starts_before_the_tests_runs_until_they_end
    script = <<~RUBY
      require "minitest/autorun"
      require "./bridged"
      APP = Bridged.start
      class OneTest < Minitest::Test
        def test_it = puts("\\n" + APP.call("daemon.info")["pid"].to_s)
      end
    RUBY
    folder = File.expand_path("../../clients/ruby/lib", __dir__)
    output = IO.popen([RbConfig.ruby, "-e", script], chdir: folder, &:read)
    assert_match(/1 runs, 0 assertions, 0 failures, 0 errors/, output)
    refute alive?(output[/^\d+$/].to_i)
  end

  def test_a_server_that_is_not_a_daemon_is_named
    TCPServer.open("127.0.0.1", 0) do |server|
      thread = Thread.new do
        client = server.accept
        client.readpartial(65_536)
        client.write("HTTP/1.1 302 Found\r\nLocation: http://example.com/\r\nContent-Length: 8\r\n\r\nNot here")
        client.close
      end
      url = "http://127.0.0.1:#{server.addr[1]}/"
      assert_error(/The server at #{url} refuses app.state: Not here/) { Bridged.connect(url, token: "token").state }
      thread.join
    end
  end
end

class InChromiumTest < Minitest::Test
  include Helpers

  def test_a_page
    Bridged.start { |app| use(app) }
    assert_empty `pgrep -f user-data-dir=#{RUNTIME}`
    assert_empty Dir["#{RUNTIME}/bridged-*"]
  end

  def test_a_page_that_cannot_attach_is_explained
    server = TCPServer.new("127.0.0.1", 0)
    agents = Queue.new
    Thread.new do
      loop do
        Thread.new(server.accept) do |client|
          lines = client.each_line.take_while { |line| line != "\r\n" }
          agents << lines.grep(/^User-Agent:/).first
          client.print "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<title>Plain</title>"
          client.close
        end
      end
    end
    Bridged.start do |app|
      assert_error(%r{^No server answers at http://127.0.0.1:1/: .*refused}) { app.open("http://127.0.0.1:1/") }
      url = "http://127.0.0.1:#{server.addr[1]}/"
      assert_error(/^No request for bridge.js came from #{url}. Put this/) { app.open(url, browser: "chromium+tag") }
    end
    found = agents.size.times.map { agents.pop }.compact.first
    assert_match(%r{ Mobile/15E148 Hotwire Native iOS; Turbo Native iOS; bridge-components: \[}, found)
  end

  FORM = <<~HTML
    <label>Email <input id=email></label><label>Country <select id=country><option>France</option><option>Germany</option>
    </select></label><label>Terms <input type=checkbox id=terms></label><input type=file id=photo aria-label=Photo>
    <button type=button id=save>Save</button>
  HTML

  def test_a_user_in_a_driven_browser
    Bridged.start do |app|
      app.open("/demo/")
      app.tap({ css: "#register-push-token" })
      assert_equal "handled", app.next_message("RegisterPushToken")["verdict"]["outcome"]
      app.call_async("document.body.insertAdjacentHTML('beforeend', form)", { form: FORM })
      app.evaluate("save.onclick = () => { save.textContent = 'Saved' }; 0")
      app.fill({ label: "Email" }, "me@example.com")
      app.press("Backspace", { label: "Email" })
      app.type("g")
      app.select({ label: "Country" }, "Germany")
      app.check({ label: "Terms" })
      app.choose_files({ label: "Photo" }, __FILE__)
      app.tap({ role: "button", name: "Save" })
      app.expect_text("Saved")
      app.expect_element({ label: "Email" }, value: "me@example.cog")
      app.expect_url("/demo/")
      app.expect_title("bridged *")
      assert_equal "Germany,bridged_test.rb", app.evaluate("[country.value, photo.files[0].name].join()")
      assert_error(/use the step select/) { app.fill("#country", "x", timeout: 0.2) }
      assert_error(/^Expected the page to show .*The latest traffic/m) do
        app.expect_element("#terms", checked: false, timeout: 0.2)
      end
      app.perform("visit", url: "/demo/?second")
      app.expect_app(main: [{}, { url: "#{app.url}demo/?second" }])
      app.expect_url("/demo/?second")
      app.evaluate("document.cookie = 'signedIn=yes'; localStorage.kept = 1")
      assert_empty app.reset
      assert_equal [], app.state["main"]
      app.open("/demo/")
      assert_equal " 0", app.evaluate("`${document.cookie} ${localStorage.length}`")
      assert_equal 1, app.state["main"].size
    end
  end

  def use(app)
    app.stub("contacts", match: { kind: "all" }, value: [{ name: "Zoe" }])
    app.open("/demo/", browser: "chromium+tag")
    assert_equal "bridged demo", app.wait_for_page("*/demo/")["title"]
    assert_equal "/customers/new", app.next_message("ActionButton", match: { icon: "plus" })["body"]["path"]
    app.expect_none("RegisterPushToken", timeout: 0.05)
    app.tap("#register-push-token")
    assert_equal "RegisterPushToken", app.next_message(handler: "nativeApp")["name"]
    app.wait_until("document.getElementById('token').textContent.length > 0")
    app.evaluate("console.warn('careful')")
    assert_equal "careful", app.next_message(kind: "console")["text"]
    assert_equal 7, app.call_async("return await promise", { promise: 7 })
    assert_equal [{ "name" => "Zoe" }], app.post("contacts", { kind: "all" })
    app.evaluate("webkit.messageHandlers.nativeApp.postMessage({name: 'ActionButton', path: '/', icon: 'x'}), 0")
    assert_error(/^Expected no such record, but this one came: .*ActionButton/, Bridged::Unexpected) do
      app.expect_none("ActionButton", match: { icon: "x" })
    end
    assert_error(/^Expected an element #nothing to tap within 0.1 s/) { app.tap("#nothing", timeout: 0.1) }
    assert_error(/ReferenceError: nothing is not defined/) { app.wait_until("nothing.there") }
    assert_equal false, app.evaluate("confirm('Sure?')")
    assert_match(/bridged stub window.confirm/, app.next_message(kind: "problem", filter: "text:dialog")["hint"])
    app.stub("window.prompt", value: "Zoe")
    assert_equal "Zoe", app.evaluate("alert('Saved'); prompt('Name?')")
    check_values(app)
    app.open("/demo/?again")
    assert_equal "?again", app.evaluate("location.search")
    app.perform("visit", url: "/demo/?third")
    app.wait_until("location.search == '?third'")
  end

  # What JSON cannot express arrives as Ruby's own.
  def check_values(app)
    assert_nil app.evaluate("undefined")
    assert_equal Time.at(0), app.evaluate("new Date(0)")
    assert_equal '{"a"=>[NaN, -0.0, Infinity, nil]}', app.evaluate("({a: [NaN, -0, 1 / 0, undefined]})").inspect
    assert_equal "😀 \u{fffd}", app.evaluate("'\\ud83d\\ude00 \\ud83d'")
    first, second, third = app.evaluate("(() => { const a = {'/~': new Date(1)}; return [a, a, a['/~']] })()")
    assert_same first, second
    assert_equal first["/~"], third
    array = app.evaluate("(() => { const a = []; a.push(a); return a })()")
    assert_same array, array[0]
    assert_equal 275_760, app.evaluate("new Date(8.64e15)").year
  end
end
