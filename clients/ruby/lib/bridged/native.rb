# frozen_string_literal: true

module Bridged
  # What the user of the app does outside the page: in its bars and sheets, and on the phone.
  #
  #     native.tap_bar_button "Save"
  #     native.back
  #
  # Each method waits for the visit that follows, and raises Bridged::Error if the app cannot do it now.
  class Native
    def initialize(client)
      @client = client
    end

    # Taps the button with this title or icon in the bar of the screen that is seen. Waits for the button.
    def tap_bar_button(title, timeout: 5)
      Expectations.new(@client).bar_button(title, timeout: timeout)
      action, arguments = Screen.of(@client.state).bar_button(title)
      raise Error, "The button #{title.inspect} has gone." unless action

      perform(action, **arguments)
    end

    # Selects an item of the menu that a component shows, by its title or its number from 1.
    def select(item) = perform("menu.select", item: item.to_s)

    # Answers the alert that is seen, with the button of this title.
    def answer_alert(button) = perform("answerAlert", button: button)

    def back = perform("back")

    def dismiss_modal = perform("dismissModal")

    def pull_to_refresh = perform("pullToRefresh")

    def tap_tab(tab) = perform("tapTab", tab: tab.to_s)

    # Routes to a URL, as the app's own code does.
    def visit(url) = perform("visit", url: url)

    # Signs in natively, with what the app's form asks for: `native.sign_in(email: "…", password: "…")`.
    def sign_in(**fields) = perform("signIn", **fields)

    # Allows notifications, and gives the page the device's push token, or this one.
    def push_token(token = nil)
      perform("pushToken")
      token ? perform("rotatePushToken", token: token) : @client.state
    end

    # Answers with a value in place of a handler: `native.stub("camera", reply: { photo: "cat.jpg" })`. With an event it answers
    # for a component, with its data: `native.stub("scanner", event: "scan", reply: { code: "123" })`.
    # `error: "…"` rejects, `echo: true` gives the message back, and `none: true` never answers.
    def stub(name, event: nil, reply: nil, **options)
      answer = %i[error echo none].any? { |key| options.key?(key) } ? {} : { value: reply }
      return @client.stub(name, **answer, **options) unless event

      @client.call("components.stub", component: name, event: event, response: { reply: reply || {} })
    end

    # Does any action that `bridged app --list` names, and returns what the app shows then.
    def perform(action, **arguments) = @client.perform(action, **arguments)
  end

  # The screen that is seen, as `app.state` describes it.
  class Screen
    # The stacks, the top screen last: `{main: [paths], modal: [paths]}`.
    def self.stacks(state)
      %w[main modal].to_h { |stack| [stack.to_sym, state[stack].map { |screen| path(screen["url"]) }] }
    end

    def self.of(state)
      screen = state[state["visible"]]&.last || state["main"].last || {}
      new(screen, state.dig("webViews", state["visible"]) || {})
    end

    # The path of a URL, with its query.
    def self.path(url) = url.to_s.sub(%r{\A[a-z]+://[^/]*}, "").then { |path| path.empty? ? "/" : path }

    # @param web_view what the web view shows
    def initialize(screen, web_view)
      @screen = screen
      @web_view = web_view
    end

    def path = Screen.path(@screen["url"])

    # The app learns the title of a screen from Turbo. A page without Turbo has only its own.
    def title = @screen["title"] || @web_view["title"]

    # What went wrong with the latest visit, as "404 Not Found"; nil if nothing did.
    def error = @screen["error"]&.values_at("statusCode", "errorCode", "description")&.compact&.join(" ")

    # Whether the page could not be loaded at all. (If there is an answer, such as 404, the page has loaded.)
    def unreachable? = !@screen["error"].nil? && !@screen["error"].key?("statusCode")

    # A sentence about the bar.
    def bar
      names = buttons.map { |button| button.names.first.inspect }
      "The bar of #{path} has #{names.empty? ? "no buttons" : names.join(", ")}."
    end

    # Returns the action that taps the button with this title or icon, and its arguments; nil if there is no such button.
    def bar_button(title) = buttons.find { |button| button.names.include?(title) }&.then { |one| [one.action, one.arguments] }

    private

    Button = Struct.new(:names, :action, :arguments)
    private_constant :Button

    # The buttons of the page's own messages, and those of components.
    def buttons
      own = (@screen["barButtons"] || []).map { |one| button(one, "tapActionButton") }
      own + (@screen["components"] || {}).flat_map { |name, component| component_buttons(name, component) }
    end

    def component_buttons(name, component)
      case name
      when "form" then [button(component, "form.submit")]
      when "overflow-menu" then [button(component, "overflow-menu.tap")]
      when "button"
        %w[left right].filter_map { |side| component[side] && button(component[side], "button.tap", side: side) }
      else
        # A component of bridged.yml.
        (component["barButtons"] || []).map { |one| button(one, "#{name}.tap", button: one["title"] || one["icon"]) }
      end
    end

    def button(shown, action, **arguments)
      Button.new(shown.values_at("title", "icon", "image", "label").compact, action, arguments)
    end
  end
end
