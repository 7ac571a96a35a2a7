# frozen_string_literal: true

module Bridged
  module Capybara
    # Answers alert, confirm and prompt. The page waits for the answer, so it is given before the dialog comes.
    class Dialogs
      def initialize(app)
        @app = app
      end

      # Does what opens a dialog, which is answered, and returns its text.
      # @param reply what the page gets, as `handlers.stub` takes it.
      def answer(type, reply, text:, wait:)
        handler = "window.#{type}"
        after = last_record
        stub = @app.stub(handler, **reply)
        begin
          yield
          message = find(handler, after, wait)
        ensure
          @app.unstub(stub)
        end
        fits?(message, text) or
          raise ::Capybara::ModalNotFound, "Unable to find modal dialog with #{text} - found '#{message}' instead."
        message
      end

      private

      def last_record
        @app.call("daemon.info")["counters"]["records"]
      end

      def find(handler, after, wait)
        record = @app.call("messages.wait", handler: handler, after: after, timeoutMs: (wait * 1000).round)
        body = record["body"]
        (body.is_a?(Array) ? body.first : body).to_s
      rescue Bridged::TimedOut
        raise ::Capybara::ModalNotFound, "Unable to find modal dialog"
      end

      def fits?(message, text)
        text.nil? || (text.is_a?(Regexp) ? text : Regexp.new(Regexp.escape(text.to_s))).match?(message)
      end
    end
  end
end
