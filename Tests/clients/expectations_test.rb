# frozen_string_literal: true

# What tests say about the bridge with the gem: assertions, matchers, and what a Rails app gets. Needs BRIDGED, and Chromium.

$LOAD_PATH.unshift(File.expand_path("../../clients/ruby/lib", __dir__))
require "minitest/autorun"
require "bridged/minitest"
require "bridged/rspec"
require "tmpdir"

ENV["BRIDGED"] ||= File.expand_path("../../.build/debug/bridged", __dir__)

class ExpectationsTest < Minitest::Test
  include Bridged::Assertions
  include Bridged::Matchers

  APP = Bridged.start
  def bridged = APP

  def setup
    bridged.reset
    bridged.open("/demo/")
  end

  def test_message_arrives_and_is_taken_once
    assert_equal "/customers/new", assert_bridge_message("ActionButton").dig("body", "path")
    assert_no_bridge_message "ActionButton", timeout: 0.1
    assert_bar_button "plus"
    assert_no_bridge_problem
  end

  def test_missing_message_says_what_came_with_its_verdict
    bridged.evaluate("void webkit.messageHandlers.nativeApp.postMessage({ name: 'ActionButton' })")
    error = assert_raises(Minitest::Assertion) { assert_bridge_message "form", event: "submit", timeout: 0.1 }
    assert_match(/"component":"form","event":"submit"/, error.message)
    assert_match(/ActionButton.*"outcome":"dropped"/m, error.message)
  end

  def test_dropped_message_is_a_problem
    bridged.evaluate("void webkit.messageHandlers.nativeApp.postMessage({ name: 'ActionButton' })")
    error = assert_raises(Minitest::Assertion) { assert_no_bridge_problem }
    assert_match(/ActionButton.*\(dropped: /, error.message)
  end

  def test_screen_that_is_not_there_says_which_is
    assert_screen "/demo/"
    assert_stack "/demo/"
    assert_no_modal
    error = assert_raises(Minitest::Assertion) { assert_screen "/posts", title: "Posts", timeout: 0.1 }
    assert_match(%r{Expected the screen /posts with the title "Posts" within 0.1 s. Found /demo/}, error.message)
    error = assert_raises(Minitest::Assertion) { assert_modal "/posts/new", timeout: 0.1 }
    assert_match(%r{Expected the stack modal to be \["/posts/new"\] within 0.1 s. Found \[\]}, error.message)
    error = assert_raises(Minitest::Assertion) { assert_bar_button "Save", timeout: 0.1 }
    assert_match(%r{The bar of /demo/ has "plus"}, error.message)
  end

  def test_a_component_is_named_without_its_event
    native.stub("scanner", event: "scan", reply: { code: "123" })
    bridged.post("bridge", { id: "1", component: "scanner", event: "scan", data: { metadata: { url: "#{bridged.url}demo/" } } })
    assert_raises(Minitest::Assertion) { assert_no_bridge_message "scanner", timeout: 0.1 }
    bridged.post("bridge", { id: "2", component: "scanner", event: "scan", data: { metadata: { url: "#{bridged.url}demo/" } } })
    assert_equal "scan", assert_bridge_message("scanner").dig("body", "event")
    bridged.evaluate("void setTimeout(() => webkit.messageHandlers.nativeApp.postMessage({ name: 'RegisterPushToken' }), 400)")
    begun = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    assert_equal "handled", assert_bridge_message("RegisterPushToken", timeout: 30).dig("verdict", "outcome")
    assert_operator Process.clock_gettime(Process::CLOCK_MONOTONIC) - begun, :<, 15
    error = assert_raises(Minitest::Assertion) { assert_bridge_message "toast", timeout: 0.1 }
    assert_match(/"name":"toast"/, error.message)
  end

  def test_a_screen_with_an_error_is_not_that_screen
    bridged.open("/demo/missing", until: "attached")
    assert_screen "/demo/missing", error: true
    error = assert_raises(Minitest::Assertion) { assert_screen "/demo/missing", timeout: 0.1 }
    assert_match(/and the error 404/, error.message)
    assert_screen "#{bridged.url}demo/missing", error: true
  end

  def test_a_modal_without_paths_is_any
    error = assert_raises(Minitest::Assertion) { assert_modal timeout: 0.1 }
    assert_match(/Expected a modal within 0.1 s. Found none./, error.message)
    assert have_modal(timeout: 0.1).does_not_match?(bridged)
    assert have_no_modal.matches?(bridged)
  end

  # Later than the answer to the script, also on a busy machine.
  SOON = "void setTimeout(() => location.assign('/demo/missing'), 1000)"

  def test_what_is_so_may_end_soon
    assert have_screen("/demo/").matches?(bridged)
    bridged.evaluate(SOON)
    assert have_screen("/demo/").does_not_match?(bridged)
    bridged.open("/demo/")
    bridged.evaluate(SOON)
    assert_bar_button "plus"
    assert_no_screen "/demo/"
    assert_no_bar_button "plus"
    assert_no_modal "/demo/"
    assert_no_stack "/demo/"
    error = assert_raises(Minitest::Assertion) { assert_no_screen "/demo/*", error: true, timeout: 0.1 }
    assert_match(%r{Expected no longer the screen /demo/\*, error: true within 0.1 s}, error.message)
    refute have_screen("/demo/*", error: true, timeout: 0.1).does_not_match?(bridged)
  end

  def test_matchers_can_be_combined
    both = have_screen("/demo/").and(have_bar_button("plus"))
    assert both.matches?(bridged)
    assert have_screen("/posts", timeout: 0.1).or(have_stack("/demo/")).matches?(bridged)
    refute have_screen("/posts", timeout: 0.1).and(have_stack("/demo/")).matches?(bridged)
  end

  def test_a_trace_has_a_name_of_its_own
    assert_equal "/tmp/failures_Größe_of_a_b.trace.html", trace_path("/tmp", "Größe of a/b")
    long, longer = ["ä" * 300, "ä" * 301].map { |name| File.basename(trace_path("/tmp", name)) }
    assert_operator longer.bytesize, :<, 255
    refute_equal long, longer
  end

  def test_the_name_of_the_test_ends_with_it
    assert_equal "#{self.class}##{name}", Bridged.current_test
    Class.new(Minitest::Test) { include Bridged::Assertions }.new("setup").run
    assert_nil Bridged.current_test
  end

  def test_native_refuses_what_the_app_cannot_do
    error = assert_raises(Bridged::TimedOut) { native.tap_bar_button "Save", timeout: 0.1 }
    assert_match(/a bar button "Save"/, error.message)
    error = assert_raises(Bridged::Error) { native.back }
    assert_match(/root|stack|screen/, error.message)
  end

  def test_native_gives_a_push_token
    native.push_token "c0ffee"
    assert_equal "c0ffee", bridged.state["pushToken"]
  end

  def test_native_answers_for_handlers_and_components
    native.stub("camera", reply: { photo: "cat.jpg" })
    assert_equal({ "photo" => "cat.jpg" }, bridged.post("camera", {}))
    native.stub("microphone", error: "no microphone")
    assert_match(/no microphone/, assert_raises(Bridged::Error) { bridged.post("microphone", {}) }.message)
    native.stub("scanner", event: "scan", reply: { code: "123" })
    data = { metadata: { url: "#{bridged.url}demo/" } }
    bridged.post("bridge", { id: "1", component: "scanner", event: "scan", data: data })
    assert_equal "handled", assert_bridge_message("scanner", event: "scan").dig("verdict", "outcome")
  end

  def test_matchers
    assert have_bridge_message("ActionButton").matches?(bridged)
    assert have_bridge_message("form", event: "submit", timeout: 0.1).does_not_match?(bridged)
    assert have_screen("/demo/").matches?(bridged)
    matcher = have_stack("/posts", timeout: 0.1)
    refute matcher.matches?(bridged)
    assert_match(%r{Found \["/demo/"\]}, matcher.failure_message)
    assert have_no_bridge_problem.matches?(bridged)
  end
end
