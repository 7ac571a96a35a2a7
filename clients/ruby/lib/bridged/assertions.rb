# frozen_string_literal: true

require_relative "native"

module Bridged
  # What tests expect of the native half. A failure says what came instead, with the verdict of each message.
  #
  # `bridged_app` is the client of Capybara's driver; a test without Capybara defines it.
  module Assertions
    # The native half: `native.tap_bar_button "Save"`.
    def native = Native.new(bridged_app)

    def bridged_app = ::Capybara.current_session.driver.app

    # Waits for the earliest message of a bridge component, or of any other name, that no call has returned.
    def assert_bridge_message(name, event: nil, match: nil, timeout: 5, **filters)
      body = { **(event ? { event: event } : {}), **match.to_h }
      record = bridged_expectation do
        bridged_app.next_message(name, timeout: timeout, match: body.empty? ? nil : body, **filters)
      end
      verdict = record["verdict"]
      return record unless verdict.is_a?(Hash) && verdict["outcome"] == "dropped"

      bridged_failure("Expected #{name} to be used, but it was dropped: #{verdict["text"] || verdict["reason"]}. #{verdict["hint"]}")
    end

    def refute_bridge_message(name, event: nil, match: nil, timeout: 0.5, **filters)
      body = { **(event ? { event: event } : {}), **match.to_h }
      bridged_expectation do
        bridged_app.expect_none(name, timeout: timeout, match: body.empty? ? nil : body, **filters)
      end
    end

    # Waits until the user sees the screen of a path or URL.
    def assert_screen(url, title: nil, timeout: 5)
      what = "the screen #{url}#{" with the title #{title.inspect}" if title}"
      bridged_expectation do
        native.wait_for(what, timeout: timeout) do
          shown = native.screen
          shown && same_place?(shown["url"], url) && (title.nil? || shown["title"] == title)
        end
      end
    end

    # Waits until the main stack, or another one, has these screens and no others.
    def assert_stack(*urls, stack: "main", timeout: 5)
      bridged_expectation do
        native.wait_for("the stack #{stack} to be #{urls.join(", ")}", timeout: timeout) do
          screens = bridged_app.state[stack].to_a
          screens.size == urls.size && screens.zip(urls).all? { |one, url| same_place?(one["url"], url) }
        end
      end
    end

    # Waits until a modal is open, or that of a path or URL is.
    def assert_modal(url = nil, timeout: 5)
      bridged_expectation do
        native.wait_for("a modal#{" of #{url}" if url}", timeout: timeout) do
          top = bridged_app.state["modal"].to_a.last
          top && (url.nil? || same_place?(top["url"], url))
        end
      end
    end

    def refute_modal(timeout: 5)
      bridged_expectation { native.wait_for("no modal", timeout: timeout) { bridged_app.state["modal"].to_a.empty? } }
    end

    # Waits until the bar has a button with this title or icon.
    def assert_bar_button(title, timeout: 5)
      bridged_expectation do
        native.wait_for("a bar button #{title.inspect}", timeout: timeout) { native.bar_buttons.include?(title) }
      end
    end

    # Fails if something went wrong since the last reset: a message that was dropped, a script that threw.
    def assert_no_bridge_problem
      problems = bridged_app.traffic(kind: "problem") + bridged_app.traffic(filter: "verdict:dropped")
      bridged_count
      return if problems.empty?

      lines = problems.first(10).map { |record| "  #{[record["text"] || record["name"], record["hint"] || record.dig("verdict", "hint")].compact.join(" ")}" }
      bridged_failure("Expected no problem of the bridge, but there are #{problems.size}:\n#{lines.join("\n")}")
    end

    private

    # Turns what the client expected in vain into a failure of the test.
    def bridged_expectation
      result = yield
      bridged_count
      result
    rescue TimedOut, Unexpected => e
      bridged_failure(e.message)
    end

    def same_place?(found, expected)
      return false if found.nil?

      expected.include?("://") ? found == expected : URI(found).request_uri == expected || URI(found).path == expected
    end

    # A test framework counts assertions.
    def bridged_count; end

    def bridged_failure(message) = raise(Unexpected, message)
  end
end
