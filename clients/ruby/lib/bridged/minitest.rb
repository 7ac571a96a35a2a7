# frozen_string_literal: true

require "minitest"
require_relative "../bridged"
require_relative "assertions"

module Bridged
  # Assertions about the bridge, to include into test cases.
  module Assertions
    include TestHelpers

    # Waits for a message, and returns its record: `assert_bridge_message "form", event: "submit"`.
    def assert_bridge_message(name = nil, **expected) = bridged_assertion { |all| all.message(name, **expected) }

    # Fails if such a message has come and no assertion has asked for it, or comes within the time.
    def assert_no_bridge_message(name = nil, timeout: 0.5, **expected)
      record = begin
        Expectations.new(bridged).message(name, timeout: timeout, **expected)
      rescue TimedOut
        nil
      end
      assert record.nil?, "Expected no such message, but this one came: #{record.to_json}"
    end

    # Waits until the screen that is seen has this path: `assert_screen "/posts/1", title: "One"`.
    def assert_screen(path, **expected) = bridged_assertion { |all| all.screen(path, **expected) }

    # Waits until the stack of screens has these paths, the visible one last.
    def assert_stack(*paths, **expected) = bridged_assertion { |all| all.stack(*paths, **expected) }

    # Waits until the modal has these paths; without any, until there is a modal.
    def assert_modal(*paths, **expected) = bridged_assertion { |all| all.modal(*paths, **expected) }

    # Waits until there is no modal.
    def assert_no_modal(**expected) = bridged_assertion { |all| all.no_modal(**expected) }

    # Waits until the bar has a button with this title or icon.
    def assert_bar_button(title, **expected) = bridged_assertion { |all| all.bar_button(title, **expected) }

    # Fails if something went wrong on the bridge since the test began.
    def assert_no_bridge_problem(**expected) = bridged_assertion { |all| all.no_problem(**expected) }

    private

    def bridged_assertion
      result = yield Expectations.new(bridged)
      self.assertions += 1
      result
    rescue TimedOut, Unexpected => e
      flunk e.message
    end
  end
end
