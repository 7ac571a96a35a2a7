# frozen_string_literal: true

# Matchers of RSpec about the native half of the app, and `native`, with which its user acts:
#
#     require "bridged/rspec"
#     RSpec.configure { |config| config.include Bridged::RSpec, type: :system }
#
#     native.tap_bar_button "Save"
#     expect(native).to have_bridge_message("form", event: "submitDisabled")
#     expect(native).to have_screen("/posts/1", title: "One")
#     expect(native).to have_bar_button("Edit")
#     expect(native).to have_no_bridge_problem
#
# The assertions of Minitest are there, too, with the same names.

require "rspec/expectations"
require_relative "assertions"

module Bridged
  module RSpec
    include Assertions

    # The matchers, each by the assertion that it makes.
    ASSERTIONS = {
      have_bridge_message: :assert_bridge_message, have_screen: :assert_screen, have_stack: :assert_stack,
      have_modal: :assert_modal, have_bar_button: :assert_bar_button, have_no_bridge_problem: :assert_no_bridge_problem
    }.freeze
    private_constant :ASSERTIONS

    ASSERTIONS.each do |matcher, assertion|
      define_method(matcher) { |*args, **options| Matcher.new(matcher, -> { send(assertion, *args, **options) }) }
    end

    # Passes if an assertion does.
    class Matcher
      attr_reader :failure_message

      def initialize(name, assertion)
        @name = name
        @assertion = assertion
      end

      def matches?(_native)
        @assertion.call
        true
      rescue ::RSpec::Expectations::ExpectationNotMetError => e
        @failure_message = e.message
        false
      end

      def description = @name.to_s.tr("_", " ")
    end

    private

    def bridged_failure(message) = raise(::RSpec::Expectations::ExpectationNotMetError, message)
  end
end
