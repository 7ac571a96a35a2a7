# frozen_string_literal: true

module Bridged
  module Capybara
    # Answers alert, confirm and prompt. The page waits for the answer, so it is given before the dialog comes.
    class Dialogs
      def initialize(app)
        @app = app
        @depth = 0
        # The records of dialogs that a call has returned.
        @taken = []
      end

      # Does what opens a dialog, which is answered, and returns its text.
      # @param replies what the page gets from a dialog of this type, and from those that may come in its place, as
      #   `handlers.stub` takes it
      def answer(type, replies, text:, wait:)
        # The outer one of two calls gets what the inner one leaves.
        replies = replies.slice(type) if @depth.positive?
        after = @app.last_record
        stubs = replies.flat_map { |kind, reply| stub("window.#{kind}", reply, text) }
        @depth += 1
        begin
          yield
          message = find(replies.keys, after, wait)
        ensure
          @depth -= 1
          stubs.each { |one| @app.unstub(one) }
        end
        fits?(message, text) or
          raise ::Capybara::ModalNotFound, "Unable to find modal dialog with #{text} - found '#{message}' instead."
        message
      end

      private

      # One click may open two dialogs, for which two calls wait, one in the other. So the inner one answers only a dialog with
      # its text.
      def stub(handler, reply, text)
        # Chromium tells a text that the dialog suggests, also if there is none.
        matches = text.is_a?(String) ? [[text], [text, ""]] : []
        matches.unshift(nil) if @depth.zero? || matches.empty?
        matches.map { |match| @app.stub(handler, match: match, **reply) }
      end

      def find(types, after, wait)
        handlers = types.map { |type| "window.#{type}" }.join(",")
        loop do
          record = @app.call("messages.wait", filter: "handler:#{handlers}", after: after, timeoutMs: (wait * 1000).round)
          after = record["record"]
          next if @taken.include?(after)

          @taken = [*@taken.last(20), after]
          body = record["body"]
          return (body.is_a?(Array) ? body.first : body).to_s
        end
      rescue Bridged::TimedOut
        raise ::Capybara::ModalNotFound, "Unable to find modal dialog"
      end

      def fits?(message, text)
        text.nil? || (text.is_a?(Regexp) ? text : Regexp.new(Regexp.escape(text.to_s))).match?(message)
      end
    end
  end
end
