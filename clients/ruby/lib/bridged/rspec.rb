# frozen_string_literal: true

require "rspec/expectations"
require "rspec/matchers"
require "pathname"
require_relative "../bridged"
require_relative "assertions"

module Bridged
  # Matchers about the bridge, for Capybara's page or a Bridged::Client:
  # `expect(page).to have_bridge_message("form", event: "submit")`.
  module Matchers
    include TestHelpers

    # A matcher that an expectation of Bridged::Expectations decides. `not_to` waits until it is not so; but for a message it waits
    # whether one comes.
    class Matcher
      include ::RSpec::Matchers::Composable

      attr_reader :failure_message

      def initialize(name, *arguments, **options)
        @name = name
        @arguments = arguments
        @options = options
      end

      def matches?(client) = met?(client, @options)

      def does_not_match?(client)
        return !met?(client, { timeout: 0.5, **@options }) if @name == :message

        expect_of(client) { |all| all.no(@name, *@arguments, **@options) }
      end

      def failure_message_when_negated = "Expected not #{description}, but it is so."

      def description = "#{@name} #{[*@arguments, *@options.map { |key, value| "#{key}: #{value.inspect}" }].join(", ")}".strip

      private

      def met?(client, options) = expect_of(client) { |all| all.public_send(@name, *@arguments, **options) }

      def expect_of(client)
        client = client.driver.app if client.respond_to?(:driver)
        yield Expectations.new(client)
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
  # Adds to the failure of an example what went wrong on the bridge, and keeps its trace beside Capybara's screenshots, before Capybara resets its sessions.
  module TraceOfFailure
    def self.included(group)
      group.after do |example|
        if example.exception && (problems = bridge_problems(example.exception.message))
          message = "#{example.exception.message}\n\n#{problems}"
          example.exception.define_singleton_method(:message) { message }
        end
        driver = page.driver if example.exception && respond_to?(:page) && defined?(Bridged::Capybara::Driver)
        # An example that has failed must not start a daemon.
        if driver.is_a?(Bridged::Capybara::Driver) && driver.running?
          path = trace_path(::Capybara.save_path || "tmp/capybara", example.full_description)
          driver.save_trace(path, name: example.full_description, failure: example.exception.message)
          example.reporter.message("[Bridge trace] #{Pathname(path).relative_path_from(Pathname.pwd)}")
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
    config.before { |example| Bridged.current_test = example.full_description }
    config.append_after { Bridged.current_test = nil }
  end
end
