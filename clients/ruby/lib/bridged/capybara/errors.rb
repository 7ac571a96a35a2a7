# frozen_string_literal: true

module Bridged
  module Capybara
    # An element cannot be used now. Capybara finds it again, and tries again until its time is over.
    class ElementError < Bridged::Error; end

    # The element, its frame or its document is no longer there.
    class StaleElement < ElementError; end

    # The user does not see the element.
    class HiddenElement < ElementError; end

    # Another element is where the user would click.
    class CoveredElement < ElementError; end

    # A selector that the browser does not understand.
    class InvalidSelector < ElementError; end

    # The frame belongs to another origin.
    class ForeignFrame < Bridged::Error; end

    # A script of the test has thrown an exception.
    class ScriptFailure < Bridged::Error; end

    # The window was closed.
    class NoSuchWindow < Bridged::Error; end

    # Which error stands for a failure of page.js.
    FAILURES = {
      "stale" => StaleElement, "hidden" => HiddenElement, "covered" => CoveredElement, "selector" => InvalidSelector,
      "origin" => ForeignFrame, "timeout" => Bridged::TimedOut, "unselect" => ::Capybara::UnselectNotAllowed,
      "value" => ArgumentError
    }.freeze
    private_constant :FAILURES

    # Raises what page.js says.
    def self.fail_with(failure)
      kind = FAILURES.fetch(failure["kind"], ScriptFailure)
      raise kind, kind == ScriptFailure ? "#{failure["name"]}: #{failure["message"]}" : failure["message"]
    end
  end
end
