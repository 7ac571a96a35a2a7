# frozen_string_literal: true

require "zlib"
require_relative "native"

module Bridged
  # What tests have, beside assertions or matchers.
  module TestHelpers
    # The client of the daemon: that of Capybara's driver, unless the test has another.
    def bridged = page.driver.app

    # What the app's user does outside the page.
    def native = Native.new(bridged)

    private

    # What went wrong on the bridge in this test, as a paragraph for a failure with this message; nil if nothing did, or if
    # no daemon runs.
    def bridge_problems(message)
      client = running_client or return
      lines = Expectations.new(client).problems.reject { |line| message.include?(line) }
      return if lines.empty?

      more = lines.size > 5 ? "\n  … and #{lines.size - 5} more" : ""
      "On the bridge, in this test:#{lines.first(5).map { |line| "\n  #{line}" }.join}#{more}"
    rescue Error
      nil # A daemon that has ended must not hide why the test has failed.
    end

    # Where the trace of a failed test lies. Its ending is its own, because Rails writes the page's HTML beside it.
    def trace_path(folder, name)
      file = name.gsub(/[^[:word:].-]+/, "_")
      # A file's name has at most 255 bytes.
      file = "#{file.byteslice(0, 180).scrub("")}-#{Zlib.crc32(name).to_s(16)}" if file.bytesize > 200
      File.expand_path("failures_#{file}.trace.html", folder)
    end

    # The client, if its daemon runs. A test that has failed must not start one.
    def running_client
      return bridged unless method(:bridged).owner == TestHelpers
      return unless defined?(::Capybara::Session) && ::Capybara::Session.instance_created? && respond_to?(:page, true)

      driver = page&.driver
      driver.app if driver.respond_to?(:running?) && driver.running?
    end
  end

  # What a test expects of the bridge and of the app, for Minitest and RSpec (bridged/minitest, bridged/rspec).
  #
  # Each method waits until it is so, and otherwise raises Bridged::TimedOut or Bridged::Unexpected, whose message says what was
  # expected, what came instead, and the latest traffic with its verdicts.
  class Expectations
    def initialize(client)
      @client = client
    end

    # Returns the record of the earliest message that fits and that nothing has returned yet. `name` is that of the message, or
    # of a component: `message("form", event: "submit")`. `data` is a part of the component's data, `body` a part of any other
    # message's body.
    def message(name = nil, event: nil, data: nil, body: nil, timeout: Bridged.wait_time, **filters)
      @client.steps.add(["expect the message", name, event].compact.join(" ")) { find(name, event, data, body, timeout, filters) }
    end

    # Waits until the screen that is seen has this path (* stands for any characters), or URL, and title. With an error, such as
    # 404, it is not that screen; `error: true` expects one.
    def screen(path, title: nil, error: false, timeout: Bridged.wait_time)
      path = Screen.path(path) if path.is_a?(String)
      expected = "the screen #{path}#{" with the title #{title.inspect}" if title}#{" with an error" if error}"
      wait(expected, timeout) do |state|
        screen = Screen.of(state)
        fits = fits?(path, screen.path) && (title.nil? || title === screen.title) && (screen.error.nil? ^ error)
        fits ? nil : "#{screen.path} with the title #{screen.title.inspect}#{" and the error #{screen.error}" if screen.error}"
      end
    end

    # Waits until the stack of screens has these paths, the visible one last.
    def stack(*paths, timeout: Bridged.wait_time) = paths_of(:main, paths, timeout)

    # Waits until the modal has these paths; without any, until there is one.
    def modal(*paths, timeout: Bridged.wait_time)
      return paths_of(:modal, paths, timeout) if paths.any?

      wait("a modal", timeout) { |state| "none." if Screen.stacks(state)[:modal].empty? }
    end

    # Waits until there is no modal.
    def no_modal(timeout: Bridged.wait_time) = paths_of(:modal, [], timeout)

    # Waits until the bar of the screen has a button with this title or icon.
    def bar_button(title, timeout: Bridged.wait_time)
      wait("a bar button #{title.inspect}", timeout) do |state|
        screen = Screen.of(state)
        screen.bar unless screen.bar_button(title)
      end
    end

    # Waits until an expectation about the app's state is not met: `no(:screen, "/posts")`.
    def no(name, *arguments, timeout: Bridged.wait_time, **options)
      details = [*arguments, *options.map { |key, value| "#{key}: #{value.inspect}" }].join(", ")
      expected = "no longer the #{name.to_s.tr("_", " ")} #{details}".strip
      deadline = now + timeout
      @client.steps.add("expect #{expected}") do
        while met?(name, arguments, options)
          raise TimedOut, "Expected #{expected} within #{timeout} s. It is still so." if now > deadline

          sleep 0.02
        end
      end
    end

    # Fails if something went wrong on the bridge since the test began: a `problem` record, or a message that was dropped.
    def no_problem(timeout: 0.2)
      wait_for_silence(timeout)
      found = problems
      return if found.empty?

      raise Unexpected, "Expected no problem on the bridge. These came:#{found.map { |line| "\n  #{line}" }.join}"
    end

    # What went wrong on the bridge so far, a line for each.
    def problems
      dropped = @client.traffic(filter: "kind:message verdict:dropped")
      numbers = dropped.map { |record| record["record"] }
      # Each dropped message is a problem, too.
      problems = @client.traffic(kind: "problem").reject { |record| numbers.include?(record["about"]) }
      (dropped + problems).sort_by { |record| record["record"] }.map { |record| describe(record) }
    end

    private

    def met?(name, arguments, options)
      public_send(name, *arguments, **options, timeout: 0)
      true
    rescue TimedOut, Unexpected
      false
    end

    def find(name, event, data, body, timeout, filters)
      component = { component: name, event: event, data: data }.compact
      return @client.next_message(timeout: timeout, match: component, **filters) if event || data

      filters[:match] = body if body
      return @client.next_message(timeout: timeout, **{ name: name }.compact, **filters) if name.nil? || body

      either(timeout, { name: name, **filters }, { match: component, **filters })
    end

    # Waits for a record that fits one of the conditions, a little for each in turn.
    def either(timeout, *conditions)
      deadline = now + timeout
      loop do
        conditions.each do |condition|
          return @client.next_message(timeout: 0.05, **condition)
        rescue TimedOut
          nil
        end
        break if now >= deadline
      end
      @client.next_message(timeout: 0, **conditions.first)
    end

    def paths_of(name, paths, timeout)
      paths = paths.flatten.map { |path| path.is_a?(String) ? Screen.path(path) : path }
      wait("the stack #{name} to be #{paths.inspect}", timeout) do |state|
        found = Screen.stacks(state)[name]
        fits = found.size == paths.size && paths.zip(found).all? { |expected, path| fits?(expected, path) }
        fits ? nil : found.inspect
      end
    end

    # Calls a block with the app's state until it returns nil instead of what is there.
    def wait(expected, timeout)
      deadline = now + timeout
      @client.steps.add("expect #{expected}") do
        while (found = yield @client.state)
          raise TimedOut, "Expected #{expected} within #{timeout} s. Found #{found}#{latest}" if now > deadline

          sleep 0.02
        end
      end
    end

    def wait_for_silence(timeout)
      @client.expect_none(kind: "problem", timeout: timeout)
    rescue Unexpected
      nil
    end

    def fits?(expected, path)
      return expected.match?(path) if expected.is_a?(Regexp)

      bare = expected.include?("?") ? path : path.split("?").first
      File.fnmatch(expected, bare)
    end

    def latest
      records = @client.traffic(filter: "-kind:evaluate,callAsync,result").last(10)
      records.empty? ? "" : "\nThe latest traffic:#{records.map { |record| "\n  #{describe(record)}" }.join}"
    end

    # One line about a record: what it says, and how it ended.
    def describe(record)
      kind = record["text"] || [record["name"] || record["event"] || record["handler"], record["body"]&.to_json,
                                *record.values_at("method", "requestURL", "status", "failure", "location"),
                                ("at #{record["url"]}" if record["kind"] == "page")].compact.join(" ")
      verdict = record["verdict"]
      ending = verdict && [verdict["outcome"], verdict["reason"], why(verdict), verdict["hint"]].compact.join(": ")
      [record["webView"], record["kind"], kind].compact.join(" ")[0, 300] + (ending ? " (#{ending})" : "") + (record["hint"] ? " #{record["hint"]}" : "")
    end

    # What was expected, what came, and where.
    def why(verdict)
      return unless verdict["expected"] || verdict["found"]

      place = "at #{verdict["at"]} " if verdict["at"]
      "#{place}expected #{verdict["expected"]}, found #{verdict["found"]}"
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
