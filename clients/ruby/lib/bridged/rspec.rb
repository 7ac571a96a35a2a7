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

    def have_no_modal(**expected) = Matcher.new(:no_modal, **expected)

    def have_bar_button(title, **expected) = Matcher.new(:bar_button, title, **expected)

    def have_no_bridge_problem(**expected) = Matcher.new(:no_problem, **expected)
  end
end

module Bridged
  # Keeps the trace of a failed example beside Capybara's screenshots, before Capybara resets its sessions.
  module TraceOfFailure
    def self.included(group)
      group.after do |example|
        driver = page.driver if example.exception && respond_to?(:page) && defined?(Bridged::Capybara::Driver)
        if driver.is_a?(Bridged::Capybara::Driver)
          name = example.full_description.gsub(/[^\w.-]+/, "_")
          path = File.join(::Capybara.save_path || "tmp/capybara", "failures_#{name}.html")
          driver.save_trace(path, name: example.full_description, failure: example.exception.message)
          example.reporter.message("[Bridge trace] #{path}")
        end
      rescue Bridged::Error => e
        # A daemon that has ended must not hide why the example has failed.
        warn e.message
      end
    end
  end
end

if defined?(RSpec.configure)
  RSpec.configure do |config|
    config.include Bridged::Matchers
    config.include Bridged::TraceOfFailure
  end
end
