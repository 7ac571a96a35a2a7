# frozen_string_literal: true

require "rspec/expectations"
require_relative "../bridged"
require_relative "assertions"

module Bridged
  # Matchers about the bridge, for Capybara's page or a Bridged::Client:
  # `expect(page).to have_bridge_message("form", event: "submit")`.
  module Matchers
    include TestHelpers

    # A matcher that an expectation of Bridged::Expectations decides. `not_to` waits for nothing.
    class Matcher
      attr_reader :failure_message

      def initialize(name, *arguments, **options)
        @name = name
        @arguments = arguments
        @options = options
      end

      def matches?(client) = met?(client, @options)

      def does_not_match?(client) = !met?(client, { timeout: 0.5, **@options })

      def failure_message_when_negated = "Expected not #{description}, but it is so."

      def description = "#{@name} #{[*@arguments, *@options.map { |key, value| "#{key}: #{value.inspect}" }].join(", ")}".strip

      private

      def met?(client, options)
        client = client.driver.app if client.respond_to?(:driver)
        Expectations.new(client).public_send(@name, *@arguments, **options)
        true
      rescue TimedOut, Unexpected => e
        @failure_message = e.message
        false
      end
    end

    def have_bridge_message(name = nil, **expected) = Matcher.new(:message, *name, **expected)

    def have_screen(path, **expected) = Matcher.new(:screen, path, **expected)

    def have_stack(*paths, **expected) = Matcher.new(:stack, *paths, **expected)

    def have_modal(*paths, **expected) = Matcher.new(:modal, *paths, **expected)

    def have_bar_button(title, **expected) = Matcher.new(:bar_button, title, **expected)

    def have_no_bridge_problem(**expected) = Matcher.new(:no_problem, **expected)
  end
end

RSpec.configure { |config| config.include Bridged::Matchers } if defined?(RSpec.configure)
