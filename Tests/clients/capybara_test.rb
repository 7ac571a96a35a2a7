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

  def test_a_server_that_is_not_there_is_an_error_at_once
    free = TCPServer.open("127.0.0.1", 0) { |server| server.addr[1] }
    begun = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    error = assert_raises(Bridged::Error) { visit "http://127.0.0.1:#{free}/posts" }
    assert_match(%r{/posts cannot be shown: .*-1004}, error.message)
    assert_operator Process.clock_gettime(Process::CLOCK_MONOTONIC) - begun, :<, 10
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
          it "passes" do
            visit "/demo/"
            expect(page).to have_screen("/demo/")
          end

          it "fails at /posts" do
            visit "/demo/"
            expect(page).to have_screen("/posts", timeout: 0)
          end
        end
      SPEC
      library = File.expand_path("../../clients/ruby/lib", __dir__)
      output, = Open3.capture2e("ruby", "-I", library, "-S", "rspec", "push_spec.rb", chdir: folder)
      assert_match(/2 examples, 1 failure/, output)
      trace = File.read("#{folder}/#{output[/\[Bridge trace\] (.*)$/, 1]}")
      assert_includes trace, "Expected the screen /posts"
      assert_includes trace, '"name":"ActionButton"'
      assert trace.include?('id="picture-0">iVBOR'), "There is no picture."
    end
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
