# frozen_string_literal: true

# Tests of the gem's driver, with the daemon that BRIDGED names or that of the debug build, in Chromium.

ENV["BRIDGED"] ||= File.expand_path("../../.build/debug/bridged", __dir__)
$LOAD_PATH.unshift File.expand_path("../../clients/ruby/lib", __dir__)
begin
  require "capybara/minitest"
rescue LoadError
  warn "Skipped: there is no Capybara."
  exit
end
require "bridged/capybara"
require "bridged/minitest"
require "minitest/autorun"
require "minitest/mock"
require "open3"
require "tmpdir"

Capybara.default_driver = :bridged

class CapybaraTest < Minitest::Test
  include Capybara::DSL
  include Bridged::Assertions

  def setup = visit("/demo/")

  def teardown = Capybara.reset_sessions!

  def test_the_page_knows_the_app
    assert_includes evaluate_script("navigator.userAgent"), "Hotwire Native iOS"
  end

  def test_messages_and_screens
    assert_equal "/customers/new", assert_bridge_message("ActionButton")["body"]["path"]
    assert_screen "/demo/"
    assert_stack "/demo/"
    assert_no_modal
    assert_bar_button "plus"
    click_on "register-push-token"
    assert_equal "handled", assert_bridge_message("RegisterPushToken")["verdict"]["outcome"]
    assert_no_bridge_problem
  end

  def test_dialogs
    assert_equal("Really?", accept_confirm("Really?") { execute_script("window.answer = confirm('Really?')") })
    assert evaluate_script("window.answer")
  end

  def test_an_alert_may_be_a_confirmation
    assert_equal("Really?", accept_alert { execute_script("window.answer = confirm('Really?')") })
    assert_equal true, evaluate_script("window.answer")
    assert_equal("Really?", dismiss_confirm("Really?") { execute_script("window.answer = confirm('Really?')") })
    assert_equal false, evaluate_script("window.answer")
    assert_equal("Done", accept_confirm { execute_script("alert('Done')") })
    inner = nil
    outer = accept_alert("First") { inner = dismiss_confirm { execute_script("alert('First'); window.answer = confirm('Second')") } }
    assert_equal ["First", "Second", false], [outer, inner, evaluate_script("window.answer")]
    error = assert_raises(ArgumentError) { accept_alert }
    assert_match(/accept_alert { click_on … }/, error.message)
  end

  def test_a_server_that_is_not_there_is_an_error_at_once
    free = TCPServer.open("127.0.0.1", 0) { |server| server.addr[1] }
    begun = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    # The first visit starts the browser, later ones load in its page.
    3.times do
      error = assert_raises(Bridged::Error) { visit "http://127.0.0.1:#{free}/posts" }
      assert_match(%r{/posts cannot be shown: .*-1004}, error.message)
    end
    assert_operator Process.clock_gettime(Process::CLOCK_MONOTONIC) - begun, :<, 10
  end

  FAILING = <<~TEST
    require "capybara/minitest"
    require "bridged/capybara"
    require "bridged/minitest"
    require "minitest/autorun"
    Capybara.default_driver = :bridged

    class PushTest < Minitest::Test
      include Capybara::DSL
      include Capybara::Minitest::Assertions
      include Bridged::Assertions
      i_suck_and_my_tests_are_order_dependent!

      def setup = visit("/demo/")

      def teardown
        page.driver.save_trace("trace.html", name: name, failure: "It failed.") if name == "test_2_text"
        Capybara.reset_sessions!
      end

      def test_1_element
        execute_script("webkit.messageHandlers.nativeApp.postMessage({ name: 'ActionButton' })")
        assert_bridge_message "ActionButton"
        click_on "Nobody has this", wait: 0
      end

      def test_2_text
        click_on "register-push-token"
        execute_script("webkit.messageHandlers.nativeApp.postMessage({ name: 'ActionButton' })")
        assert_bridge_message "RegisterPushToken"
        native.push_token "c0ffee"
        assert_text "Nobody says this", wait: 0
      end

      def test_3_nothing_on_the_bridge = assert_text("Nobody says this", wait: 0)
    end

    class WithoutDaemonTest < Minitest::Test
      include Capybara::DSL
      include Bridged::Assertions

      def test_no_daemon_starts
        Capybara.using_driver(:rack_test) { flunk "No page" }
      end

      def test_skipped = skip("Later")
    end
  TEST

  def test_a_failure_says_what_went_wrong_on_the_bridge
    Dir.mktmpdir do |folder|
      File.write("#{folder}/push_test.rb", FAILING)
      library = File.expand_path("../../clients/ruby/lib", __dir__)
      output, = Open3.capture2e("ruby", "-I", library, "push_test.rb", "--seed", "1", chdir: folder)
      assert_match(/5 runs, \d+ assertions, 3 failures, 1 errors, 1 skips/, output)
      paragraph = /On the bridge, in this test:\n  main message ActionButton .*\(dropped: undecodable: at \/path expected String, found nothing: .*\)$/
      assert_match(/Capybara::ElementNotFound: Unable to find .*"Nobody has this".*\n\n#{paragraph}/, output)
      assert_match(/expected to find text "Nobody says this" in .*\n\n#{paragraph}/, output)
      assert_equal 2, output.scan("On the bridge").size, output

      trace = File.read("#{folder}/trace.html")[%r{<script type="application/json" id="trace">(.*)</script>}, 1]
      trace = JSON.parse(trace)
      steps = ["visit /demo/", 'click button "Register push token"', "expect the message RegisterPushToken", "pushToken",
               "rotatePushToken", "end of test_2_text"]
      assert_equal steps, trace["steps"].map { |step| step["text"] }
      assert_equal steps.size + 1, trace["moments"].size
      assert_equal trace["moments"].map { |moment| moment["record"] }.sort, trace["moments"].map { |moment| moment["record"] }
      assert_equal ["PushTest#test_2_text"], trace["records"].select { |record| record["event"] == "note" }.map { |one| one["text"] }
    end
  end

  def test_a_failed_example_of_rspec_keeps_its_trace
    skip "There is no rspec-core." unless system("ruby", "-r", "rspec/core", "-e", "0", err: File::NULL)
    Dir.mktmpdir do |folder|
      File.write("#{folder}/push_spec.rb", <<~SPEC)
        require "capybara/rspec"
        require "bridged/capybara"
        require "bridged/rspec"
        Capybara.default_driver = :bridged

        RSpec.describe "Push", type: :feature do
          it("fails before a visit") { raise "Too early" }

          it "passes" do
            visit "/demo/"
            expect(page).to have_screen("/demo/")
          end

          it "fails at /posts" do
            visit "/demo/"
            execute_script("webkit.messageHandlers.nativeApp.postMessage({ name: 'ActionButton' })")
            expect(page).to have_bridge_message("ActionButton")
            expect(page).to have_text("Nobody says this", wait: 0)
          end
        end
      SPEC
      library = File.expand_path("../../clients/ruby/lib", __dir__)
      output, = Open3.capture2e("ruby", "-I", library, "-S", "rspec", "push_spec.rb", chdir: folder)
      assert_match(/3 examples, 2 failures/, output)
      assert_equal 1, output.scan("[Bridge trace]").size, output
      assert_match(/Nobody says this.*On the bridge, in this test:\s+main message ActionButton.*\(dropped: /m, output)
      trace = File.read("#{folder}/#{output[/\[Bridge trace\] (.*)$/, 1]}")
      assert_includes trace, "On the bridge, in this test:"
      assert_includes trace, '"text":"Push fails at /posts"'
      assert_includes trace, '"name":"ActionButton"'
      assert trace.include?('id="picture-0">iVBOR'), "There is no picture."
    end
  end
end

# Pages of a small server, which a test gives to a driver of its own.
module SiteOfTest
  include Bridged::Assertions

  TURBO = File.expand_path("../../.third-party/turbo.js", __dir__)

  def teardown = @session&.quit

  # Assertions about the bridge ask this session.
  def page = @session

  # @param pages by their paths: HTML, or a response as Rack has it, or what returns one of them
  def session(pages, **options)
    rack = lambda do |env|
      found = pages[env["PATH_INFO"]]
      found = found.call if found.respond_to?(:call)
      next found if found.is_a?(Array)
      next [200, { "Content-Type" => "text/javascript" }, [File.read(TURBO)]] if env["PATH_INFO"] == "/turbo.js"

      [found ? 200 : 404, { "Content-Type" => "text/html" }, ["<!doctype html>#{found || "Nothing is here"}"]]
    end
    name = :"test_#{options}"
    Capybara.register_driver(name) { |app| Bridged::Capybara::Driver.new(app, **options) }
    @session = Capybara::Session.new(name, rack)
  end

  def seconds
    begun = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    yield
    Process.clock_gettime(Process::CLOCK_MONOTONIC) - begun
  end
end

# When a visit is over, and where it leads.
class VisitTest < Minitest::Test
  include SiteOfTest

  # An app for Android adds its adapter in the turn after the page's load event. A click that came before was lost, as it would be
  # on a phone, where nobody is as fast. Here that turn, which bridged takes without a time, comes half a second later, and the
  # server takes longer.
  LATE = "{ const soon = setTimeout; window.setTimeout = (f, ms = 500, ...rest) => soon(f, ms, ...rest) }"

  %w[chromium firefox].each do |browser|
    define_method(:"test_a_link_works_as_soon_as_visit_returns_in_#{browser}") do
      skip "There is no Turbo." unless File.exist?(TURBO)
      skip "There is no Firefox." if browser == "firefox" && !Bridged::System.find("firefox", "firefox-esr")
      head = "<script src=/turbo.js></script><script>#{LATE}</script>"
      session({ "/" => "#{head}<a href=/next>Next</a>", "/next" => -> { sleep(1) && "#{head}<p>This is next" } },
              browser: browser, platform: :android)
      2.times do
        @session.visit("/")
        @session.click_on("Next")
        assert_screen "/next", timeout: 10
        @session.reset!
      end
    end
  end

  def test_a_response_without_a_body_ends_the_visit
    # Puma gives a length to an array with one text, as Rails' `head` makes it.
    empty = { "/401" => [401, {}, []], "/404" => [404, {}, [""]], "/500" => [500, {}, [""]], "/200" => [200, {}, []],
              "/204" => [204, {}, []] }
    session({ "/" => "<p>Start", **empty })
    ["/401", *empty.keys].each { |path| assert_operator seconds { @session.visit(path) }, :<, 5, path }
    @session.visit("/500")
    assert_equal ["/500", 500], [@session.current_path, @session.status_code]
    @session.visit("/")
    assert_equal "Start", @session.text
  end

  def test_a_download_ends_the_visit
    session({ "/" => "<p>Start", "/file" => [200, { "Content-Type" => "text/csv", "Content-Disposition" => "attachment" }, ["1"]] })
    @session.visit("/")
    assert_operator seconds { @session.visit("/file") }, :<, 5
  end

  def test_a_visit_leaves_the_modal
    %i[ios android].each do |platform|
      rules = [{ patterns: [".*"], properties: { uri: "hotwire://fragment/web" } },
               { patterns: ["/new$"], properties: { context: "modal", uri: "hotwire://fragment/web/modal/sheet" } }]
      Tempfile.create(["paths", ".json"]) do |file|
        file.write(JSON.generate(rules: rules))
        file.close
        session({ "/" => "<p>Start", "/posts" => "<p>Posts", "/new" => "<p>New", "/other/new" => "<p>Other" },
                path_configuration: file.path, platform: platform)
        @session.visit("/")
        bridged.perform("visit", url: URI.join(@session.current_url, "/new").to_s)
        assert_modal "/new"
        @session.visit("/posts")
        assert_no_modal
        assert_stack "/", "/posts"
        assert_equal ["Posts", "/posts"], [@session.text, @session.current_path]

        # A page that the app shows in a modal is shown there, also over another one.
        native.visit "/new"
        assert_modal "/new"
        @session.visit("/other/new")
        assert_equal ["Other", "/other/new"], [@session.text, @session.current_path]
        assert_screen "/other/new"
        @session.quit
      end
    end
  end

  def test_a_browser_that_is_missing_is_an_error_at_once
    session({ "/" => "<p>Start" })
    @session.driver.app
    path, chromium = ENV.fetch("PATH"), ENV.delete("CHROME_BIN")
    Dir.mktmpdir do |folder|
      # The client's own watch needs this one.
      File.symlink(Bridged::System.find("sleep"), "#{folder}/sleep")
      ENV["PATH"] = folder
      error = nil
      spent = seconds do
        error = assert_raises(Bridged::Error) { @session.visit("/") }
        assert_raises(Bridged::Error) { @session.driver.save_screenshot("/dev/null") }
      end
      assert_match(/Chromium is not installed/, error.message)
      refute_match(/token/, error.message)
      assert_operator spent, :<, 2
    end
  ensure
    ENV["PATH"] = path
    ENV["CHROME_BIN"] = chromium
  end
end

class CookieTest < Minitest::Test
  include SiteOfTest

  def test_cookies_have_the_names_of_other_drivers
    shows = ->(env) { [200, { "Content-Type" => "text/html" }, ["<p>#{env["HTTP_COOKIE"]}"]] }
    Capybara.register_driver(:cookies) { |app| Bridged::Capybara::Driver.new(app) }
    @session = Capybara::Session.new(:cookies, shows)
    driver = @session.driver
    assert_equal({}, driver.cookies)
    driver.set_cookie("session", "abc", httponly: true)
    @session.visit("/")
    assert_equal "session=abc", @session.text
    cookie = driver.cookies.fetch("session")
    assert_equal ["abc", "127.0.0.1", "/", true, false, nil],
                 [cookie.value, cookie.domain, cookie.path, cookie.httponly?, cookie.secure?, cookie.expires]
    driver.set_cookie("theme", "dark", expires: Time.now + 1_000, path: "/deep")
    assert_in_delta Time.now + 1_000, driver.cookies["theme"].expires, 10
    driver.remove_cookie("session")
    assert_equal ["theme"], driver.cookies.keys
    driver.clear_cookies
    assert_equal({}, driver.cookies)
    driver.set_cookie("left", "1")
    @session.reset!
    assert_equal({}, driver.cookies)
    driver.set_cookie("early", "1")
    driver.reset! # Capybara's session does not know yet that there is something to forget.
    @session.visit("/")
    assert_equal "", @session.text
  end
end

# How long assertions wait.
class WaitTest < Minitest::Test
  include SiteOfTest

  def test_assertions_wait_as_long_as_those_of_Capybara
    session({ "/" => "<p>Start" })
    @session.visit("/")
    Capybara.using_wait_time(0.3) do
      error = nil
      spent = seconds { error = assert_raises(Minitest::Assertion) { assert_screen "/elsewhere" } }
      assert_match(/within 0.3 s/, error.message)
      assert_operator spent, :<, 1.5
      assert_raises(Minitest::Assertion) { assert_bridge_message "form" }
      assert_match(/within 0.1 s/, assert_raises(Minitest::Assertion) { assert_modal(timeout: 0.1) }.message)
    end
  end
end

# Tests that share one browser, and give its server their pages.
class SharedBrowserTest < Minitest::Test
  include SiteOfTest

  # What the server has, as SiteOfTest's sessions take it.
  PAGES = {}
  SERVER = lambda do |env|
    found = PAGES.fetch(CGI.unescape(env["PATH_INFO"]).force_encoding("UTF-8"), "")
    found = found.call if found.respond_to?(:call)
    found.is_a?(Array) ? found : [200, { "Content-Type" => "text/html; charset=utf-8" }, ["<!doctype html>#{found}"]]
  end
  Capybara.register_driver(:shared) { |app| Bridged::Capybara::Driver.new(app) }

  def setup = @session = @@session ||= Capybara::Session.new(:shared, SERVER)

  def teardown = @session.reset!

  # Shows a page with these contents.
  def show(html, **others)
    serve("/" => html, **others)
    @session.visit("/")
  end

  def serve(pages) = PAGES.replace(pages.transform_keys(&:to_s))
end

# What a visit needs, and when it is over.
class AddressTest < SharedBrowserTest
  def test_a_path_is_encoded
    show("<p>Start", "/café au lait" => "<p>Coffee", "/search" => -> { "<p>Found<a id=two>" })
    @session.visit("/café au lait")
    assert_equal ["Coffee", "/caf%C3%A9%20au%20lait"], [@session.text, @session.current_path]
    @session.execute_script("window.stays = true")
    assert_operator seconds { @session.visit("/café au lait#part") }, :<, 1
    assert @session.evaluate_script("window.stays"), "A fragment has loaded the page again."
    @session.visit("/search?q=ä {1}")
    assert_equal "Found", @session.text
    assert @session.current_url.end_with?("/search?q=%C3%A4%20%7B1%7D")
    @session.driver.set_cookie("theme", "dark", { path: "/deep" })
    assert_equal "/deep", @session.driver.cookies.fetch("theme").path
  end

  def test_the_client_encodes_too
    serve("/né" => "<p>Born")
    @session.driver.app.open("#{@session.server.base_url}/né", until: "attached")
    assert_equal "/n%C3%A9", URI(@session.driver.app.state["main"].last["url"]).path
  end

  def test_a_clock_that_stands_costs_no_time
    file = [200, { "Content-Type" => "text/csv", "Content-Disposition" => "attachment" }, ["1"]]
    show("<p>Start", "/file" => file, "/empty" => [204, {}, []])
    { "/file" => 1, "/empty" => -1 }.each do |path, days|
      Time.stub(:now, Time.now + (days * 24 * 3600)) { assert_operator seconds { @session.visit(path) }, :<, 2, path }
    end
  end

  def test_a_visit_that_does_not_end_is_an_error
    show("<p>Start", "/slow" => -> { sleep(1) && "<p>Late" })
    usual = @session.driver.instance_variable_get(:@timeout)
    @session.driver.instance_variable_set(:@timeout, 0.7)
    error = assert_raises(Bridged::TimedOut) { @session.visit("/slow") }
    assert_match(%r{\Ahttp://.*/slow has not loaded within 0.7 s}, error.message)
  ensure
    @session.driver.instance_variable_set(:@timeout, usual)
  end

  def test_reset_removes_stubs_without_a_visit
    show("<p>Start")
    @session.reset!
    native.stub("camera", reply: "cat.jpg")
    assert_equal 1, stubs
    @session.reset!
    assert_equal 0, stubs
  end

  private

  def stubs = @session.driver.app.call("handlers.list")["handlers"].flat_map { |handler| handler["stubs"] }.uniq.size
end

# What tests ask of elements, and do with them.
class ElementTest < SharedBrowserTest
  def test_trigger_sends_what_a_mouse_sends
    kinds = "onclick='window.kind = event.constructor.name' onfocus='window.kind = event.constructor.name'"
    show("<input id=box type=checkbox #{kinds}><a href=/next>Next</a>", "/next" => "<p>This is next")
    box = @session.find("#box")
    box.trigger(:click)
    assert_equal [true, "MouseEvent"], [box.checked?, @session.evaluate_script("window.kind")]
    box.trigger("focus")
    assert_equal "FocusEvent", @session.evaluate_script("window.kind")
    @session.find("a").trigger("click")
    assert_equal "/next", @session.current_path
  end

  def test_attributes_and_values_are_those_of_other_drivers
    show("<input id=box type=checkbox checked><li id=item value=3>Three<progress max=4 value=2></progress><video muted></video>" \
         "<select><option selected>One</select><input id=text novalidate>")
    box = @session.find("#box")
    assert_equal ["true", "true", nil, nil], %w[checked selected indeterminate disabled].map { |name| box[name] }
    assert_equal [nil, "true"], %w[complete paused].zip(@session.all("#box, video")).map { |name, element| element[name] }
    assert_equal %w[3 2], [@session.find("#item").value, @session.find("progress").value]
    assert_equal ["true", nil], %w[selected compact].map { |name| @session.find("option")[name] }
  end

  def test_preformatted_text_keeps_its_spaces
    show("<p>One    two</p><pre id=code>def a\n  b\n\n  c\nend</pre><p>After  it</p><textarea>  x\n    y</textarea>" \
         "<p style='white-space: pre-line'>Three    four\n\nfive</p><pre style='display: none'>One  hidden</pre>")
    assert_equal "def a\n  b\n\n  c\nend", @session.find("#code").text
    assert_equal "One two\ndef a\n  b\n\n  c\nend\nAfter it\nThree four\n\nfive", @session.find("body").text.sub(/^\s*x\n *y\n/, "")
    assert_equal "  x\n    y", @session.find("textarea").text
  end

  def test_fields_for_times_take_dates_and_refuse_other_texts
    show(%w[date month week time datetime-local].map { |type| "<input id=#{type} type=#{type}>" }.join)
    date = Date.new(2027, 1, 2)
    { "date" => "2027-01-02", "month" => "2027-01", "week" => "2026-W53" }.each do |type, text|
      @session.fill_in(type, with: date)
      assert_equal text, @session.find("##{type}").value
    end
    @session.fill_in("time", with: Time.new(2027, 1, 2, 3, 4))
    assert_equal "03:04", @session.find("#time").value
    error = assert_raises(ArgumentError) { @session.fill_in("date", with: "31/12/2026") }
    assert_match(%r{type date takes no "31/12/2026".*such as \d{4}-\d\d-\d\d}, error.message)
    assert_equal "2027-01-02", @session.find("#date").value
    @session.fill_in("date", with: "")
    assert_equal "", @session.find("#date").value
  end

  def test_what_is_clipped_is_not_visible
    show("<div style='height:0; overflow:hidden'><p id=closed>Closed</p></div>" \
         "<div style='height:0'><p id=open>Open</p></div>" \
         "<div style='height:50px; overflow:hidden'><p id=below style='margin-top:90px'>Below</p></div>" \
         "<div style='height:50px; overflow:auto'><p id=scrolled style='margin-top:90px'>Scrolled</p></div>" \
         "<p id=outside style='position:absolute; left:-999px; width:9px'>Outside</p>" \
         "<div style='height:0; overflow:hidden'><p id=fixed style='position:fixed; top:0'>Fixed</p></div>" \
         "<p id=far style='margin-top:3000px'>Far</p>")
    shown = %w[closed open below scrolled outside fixed far].select { |id| @session.find("##{id}", visible: :all).visible? }
    assert_equal %w[open scrolled fixed far], shown
  end

  def test_scripts_see_only_the_names_of_the_page
    policy = { "Content-Type" => "text/html", "Content-Security-Policy" => "script-src 'nonce-abc'" }
    inner = "<title>Inner</title><script nonce=abc>var object = 'of the frame', values = 1, view = 2</script><p>Inside"
    show("<script>var object = 'of the page'</script><iframe src=/inner></iframe>", "/inner" => [200, policy, [inner]])
    assert_equal "of the page", @session.evaluate_script("object")
    @session.within_frame(@session.find("iframe")) do
      assert_equal ["of the frame", 3, "Inner"], @session.evaluate_script("[object, values + view, document.title]")
      assert_equal "Inside", @session.evaluate_script("arguments[0].textContent", @session.find("p"))
      assert_equal 5, @session.evaluate_async_script("arguments[1](arguments[0] + 1)", 4)
    end
  end

  def test_tests_may_stop_the_page_clock
    show("<input id=name>")
    @session.execute_script("window.setTimeout = () => 0; performance.now = () => 0")
    assert_operator seconds { @session.fill_in("name", with: "Zoe") }, :<, 5
    assert_equal "Zoe", @session.find("#name").value
    @session.find("#name").drag_to(@session.find("body"), steps: 3, html5: false)
  end
end

# What works before the first visit: the browser starts with the empty page.
class BeforeVisitTest < Minitest::Test
  include SiteOfTest

  def test_the_window_has_a_size
    session({ "/" => "<meta name=viewport content='width=device-width'><p>Start" })
    @session.current_window.resize_to(500, 700)
    assert_equal 2, @session.evaluate_script("1 + 1")
    @session.send_keys("a")
    @session.refresh
    @session.visit("/")
    assert_equal ["Start", [500, 700]], [@session.text, @session.current_window.size]
  end
end

# What a test leaves in the web views, among them that of the modal.
class ResetTest < Minitest::Test
  include Capybara::DSL

  def setup
    @configuration = Tempfile.create(["paths", ".json"])
    @configuration.write('{"rules": [{"patterns": ["/new$"], "properties": {"context": "modal"}}]}')
    @configuration.close
    rack = ->(env) { [200, { "Content-Type" => "text/html" }, ["<!doctype html><p>This is #{env["PATH_INFO"]}</p>"]] }
    Capybara.register_driver(:modal) { |app| Bridged::Capybara::Driver.new(app, path_configuration: @configuration.path) }
    @session = Capybara::Session.new(:modal, rack)
  end

  def teardown
    @session.quit
    File.unlink(@configuration.path)
  end

  def test_pages_behind_a_modal_end_with_the_test
    @session.visit("/")
    write_always
    open_modal
    assert_nil what_is_left
  end

  def test_pages_of_a_modal_that_was_dismissed_end_with_the_test
    @session.visit("/")
    open_modal
    write_always
    @session.driver.app.perform("dismissModal", wait: false)
    @session.assert_text("This is /", exact: true)
    assert_nil what_is_left
  end

  private

  def open_modal
    @session.driver.app.perform("visit", url: URI.join(@session.current_url, "/new").to_s, wait: false)
    @session.assert_text("This is /new")
  end

  def write_always = @session.execute_script("setInterval(() => { localStorage.left = 'by the last test' }, 1)")

  # What the next test finds.
  def what_is_left
    @session.reset!
    @session.visit("/")
    @session.evaluate_script("localStorage.left")
  end
end
