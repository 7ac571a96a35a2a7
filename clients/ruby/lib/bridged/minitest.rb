# frozen_string_literal: true

require "minitest"
require_relative "../bridged"
require_relative "assertions"

module Bridged
  # Assertions about the bridge, to include into test cases.
  module Assertions
    include TestHelpers

    def before_setup
      Bridged.current_test = "#{self.class}##{name}"
      super
    end

    def after_teardown
      super
    ensure
      Bridged.current_test = nil
    end

    # Adds to failures what went wrong on the bridge, because that may be the cause.
    def before_teardown
      failures.map! { |failure| failure.is_a?(::Minitest::Skip) ? failure : with_bridge_problems(failure) }
      super
    end

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

    # Waits until there is no modal, or none with these paths.
    def assert_no_modal(*paths, **expected)
      bridged_assertion { |all| paths.empty? ? all.no_modal(**expected) : all.no(:modal, *paths, **expected) }
    end

    # Waits until the bar has a button with this title or icon.
    def assert_bar_button(title, **expected) = bridged_assertion { |all| all.bar_button(title, **expected) }

    # Waits until the screen that is seen has another path, or an error, or another title than this.
    def assert_no_screen(path, **expected) = bridged_assertion { |all| all.no(:screen, path, **expected) }

    # Waits until the stack of screens has other paths.
    def assert_no_stack(*paths, **expected) = bridged_assertion { |all| all.no(:stack, *paths, **expected) }

    # Waits until the bar has no button with this title or icon.
    def assert_no_bar_button(title, **expected) = bridged_assertion { |all| all.no(:bar_button, title, **expected) }

    # Fails if something went wrong on the bridge since the test began.
    def assert_no_bridge_problem(**expected) = bridged_assertion { |all| all.no_problem(**expected) }

    private

    def with_bridge_problems(failure)
      error = failure.error
      problems = bridge_problems(error.message) or return failure
      # The same error with another message, which can go to another process, as one with methods of its own cannot.
      told = error.exception("#{error.message}\n\n#{problems}")
      told.set_backtrace(error.backtrace) if told.backtrace.nil? && error.backtrace
      failure.is_a?(::Minitest::UnexpectedError) ? ::Minitest::UnexpectedError.new(told) : told
    end

    def bridged_assertion
      result = yield Expectations.new(bridged)
      self.assertions += 1
      result
    rescue TimedOut, Unexpected => e
      flunk e.message
    end
  end
end
