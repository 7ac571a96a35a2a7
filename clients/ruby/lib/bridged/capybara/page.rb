# frozen_string_literal: true

require "json"

module Bridged
  module Capybara
    # Calls the methods of page.js in the page that is shown. The first call in a document brings the script along.
    class Page
      SCRIPT = File.read(File.join(__dir__, "page.js")).freeze
      OBJECT = 'globalThis[Symbol.for("bridged.capybara")]'
      # The frames of the same origin in which Capybara is, as handles of their elements, the outermost first.
      attr_reader :frames

      # The documents that were here have these codes of errors (docs/protocol.md).
      NO_PAGE = -32_002
      GONE = 2
      private_constant :SCRIPT, :OBJECT, :NO_PAGE, :GONE

      def initialize(app, windows, timeout)
        @app = app
        @windows = windows
        @timeout = timeout
        @frames = []
      end

      # Calls a method for an element, whose page it must still be.
      def node(method, handle, *values) = unless_stale { call(method, [handle, *values]) }

      # Finds elements in an element, or in the page.
      def find(kind, query, within, hints)
        return page("find", kind, query, nil, hints) unless within

        unless_stale { call("find", [kind, query, within, hints]) }
      end

      # Calls a method for the page, or for the one that takes its place.
      def page(method, *values)
        tries = 0
        begin
          call(method, values)
        rescue Bridged::Error => e
          raise unless gone?(e) && (tries += 1) < 20

          sleep 0.02 if tries > 1 # The daemon waits for the page that follows.
          retry
        end
      end

      # Calls a method that waits, for an element or the page.
      #
      # @param document its number, such as "p3"; nil for the one that is shown
      def wait(method, *values, document: nil)
        where = document ? options.merge(page: document) : options
        reply(source("await OBJECT?.callAsync", method, values, "return ")) { |body| @app.call_async(body, **where) }
      end

      # Runs a script of the test: the body of a function.
      def run(body, values)
        source = source_of("#{OBJECT}?.call", "run", body, values)
        reply(source) { |script| @app.evaluate(script, **options) }
      rescue Bridged::Error => e
        raise e.code == 4 ? ScriptFailure.new(e.message, e.code, e.data) : e
      end

      # Runs a script of the test that calls back.
      def run_async(body, values, seconds)
        source = source_of("return await #{OBJECT}?.callAsync", "runAsync", body, values, (seconds * 1000).round)
        reply(source) { |script| @app.call_async(script, **options(seconds + 5)) }
      end

      def gone?(error)
        [NO_PAGE, GONE].include?(error.code)
      end

      private

      # The source that calls a method with a script of the test. The script sees no name of ours.
      def source_of(call, method, body, values, *others)
        function = "function() { #{body}\n}"
        # In a frame whose policy forbids to make a function of a text, this one looks up names in the frame's window.
        function = "(view) => { with (view) { return (#{function}) } }" unless @frames.empty?
        arguments = [JSON.generate(body), JSON.generate(values), function, *others].join(", ")
        "#{call}(#{JSON.generate(method)}, #{JSON.generate(@frames)}, [#{arguments}]) ?? \"?\""
      end

      def unless_stale
        yield
      rescue Bridged::Error => e
        raise unless gone?(e)

        raise StaleElement, "The element's page is gone."
      end

      def call(method, values)
        reply(source("OBJECT?.call", method, values)) { |script| @app.evaluate(script, **options) }
      end

      def source(call, method, values, head = "")
        name = call.sub("OBJECT", OBJECT)
        "#{head}#{name}(#{JSON.generate(method)}, #{JSON.generate(@frames)}, #{JSON.generate(values)}) ?? \"?\""
      end

      def options(seconds = @timeout)
        { timeout: seconds, **@windows.address }
      end

      # Returns what page.js has answered to a script. If it is not in the document, asks again and brings it along.
      def reply(source)
        text = yield source
        text = yield "#{SCRIPT};\n#{source}" if text == "?"
        raise Bridged::Error, "The page answered #{text.inspect[0, 200]} in place of page.js." unless text.is_a?(String)
        return JSON.parse(text, max_nesting: 1_000) unless text.start_with?("!")

        Capybara.fail_with(JSON.parse(text[1..]))
      end
    end
  end
end
