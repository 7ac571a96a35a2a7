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
end
