# frozen_string_literal: true

require_relative "../bridged"

module Bridged
  # The native half of the app, as its user sees it and acts on it.
  class Native
    def initialize(client)
      @client = client
    end

    # Taps a button of the bar, by its title or icon.
    def tap_bar_button(title)
      button = wait_for("a bar button #{title.inspect}") { buttons.find { |one| one["names"].include?(title) } }
      case button["component"]
      when "button" then @client.perform("button.tap", side: button["side"])
      when "form" then @client.perform("form.submit")
      when nil then @client.perform("tapActionButton")
      else @client.perform("#{button["component"]}.tap")
      end
    end

    def back = @client.perform("back")

    def pull_to_refresh = @client.perform("pullToRefresh")

    def dismiss_modal = @client.perform("dismissModal")

    # Answers the native sign-in, as in `sign_in(email: "me@example.com", password: "secret")`.
    def sign_in(**credentials) = @client.perform("signIn", **credentials)

    def push_token(token) = @client.perform("pushToken", token: token)

    # Answers in place of a handler: `native.stub("camera", reply: { photo: "cat.jpg" })`.
    def stub(handler, reply: nil, **options) = @client.stub(handler, value: reply, **options)

    # What else the user can do: `bridged app --list`.
    def perform(action, **arguments) = @client.perform(action, **arguments)

    # The screen that the user sees; nil if there is none.
    def screen
      state = @client.state
      state[state["visible"].to_s]&.last
    end

    # The titles, icons, images and labels of the bar's buttons.
    def bar_buttons = buttons.flat_map { |button| button["names"] }

    # Waits until the block returns something, and returns that.
    def wait_for(what, timeout: 5)
      deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + timeout
      until (found = yield)
        if Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline
          raise TimedOut, "Expected #{what} within #{timeout} s. The app shows #{summary}."
        end

        sleep 0.02
      end
      found
    end

    # What the app shows, for the message of a failure.
    def summary
      state = @client.state
      stacks = %w[main modal].filter_map do |name|
        screens = state[name].to_a.map { |one| "#{path(one["url"])} #{one["title"].inspect}" }
        "#{name}: #{screens.join(", ")}" if screens.any?
      end
      names = bar_buttons
      [*stacks, ("bar buttons: #{names.map(&:inspect).join(", ")}" if names.any?)].compact.join("; ")
    end

    private

    def path(url) = url && URI(url).then { |uri| "#{uri.path}#{"?#{uri.query}" if uri.query}" }

    NAMES = %w[title icon image label].freeze
    private_constant :NAMES

    def buttons
      shown = screen or return []
      shown["barButtons"].to_a.map { |button| named(button) } +
        shown["components"].to_h.flat_map { |component, state| buttons_of(component, state) }
    end

    def buttons_of(component, state)
      return [] unless state.is_a?(Hash)

      case component
      when "button"
        %w[left right].filter_map { |side| state[side] && named(state[side], component, side) }
      when "form", "overflow-menu" then [named(state, component)]
      else state["barButtons"].to_a.map { |button| named(button, component) }
      end
    end

    def named(button, component = nil, side = nil)
      { "names" => button.values_at(*NAMES).compact, "component" => component, "side" => side }
    end
  end
end
