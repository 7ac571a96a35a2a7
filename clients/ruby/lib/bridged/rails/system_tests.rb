# frozen_string_literal: true

require_relative "../capybara"
require_relative "../minitest"

module Bridged
  # `driven_by :bridged, using: :ios` in system tests. Tests with other drivers are as before.
  module SystemTests
    def self.included(test_case)
      test_case.include(Assertions)
      test_case.singleton_class.prepend(DrivenBy)
    end

    # Gives the drivers their options.
    module DrivenBy
      BROWSERS = { bridged: "chromium", bridged_firefox: "firefox", bridged_webkit: "webkit" }.freeze
      private_constant :BROWSERS

      # - using: `:ios` or `:android`, or a release such as "ios@1.3"; without it, what bridged.yml says, or iOS.
      # - screen_size: the size of the window, as `[390, 844]`.
      # - options: those of Bridged::Capybara::Driver, as `{ tab: ["Home=/"] }`. bridged.yml in the app's folder has more.
      def driven_by(driver, using: nil, screen_size: nil, options: {}, **others, &block)
        browser = BROWSERS[driver.to_sym]
        return super(driver, **{ using: using, screen_size: screen_size }.compact, options: options, **others, &block) unless browser

        # Each combination is a driver of its own, with its own daemon and browser. It gets its name here, so one for Selenium
        # has no use.
        settings = { framework: using&.to_s, window_size: screen_size }.compact.merge(options.except(:name))
        name = [driver, *settings.flatten].join(" ").to_sym
        ::Capybara.register_driver(name) { |app| Bridged::Capybara::Driver.new(app, browser: browser, **settings) }
        super(name, **others, &block)
      end
    end

    # Keeps the trace of a failed test beside Rails' screenshot. A test that has failed must not start a daemon.
    def take_failed_screenshot
      driver = page.driver
      return super unless driver.is_a?(Bridged::Capybara::Driver)
      return unless failed? && driver.running?

      super
      path = trace_path(::Capybara.save_path || ::Rails.root.join("tmp/screenshots"), name)
      driver.save_trace(path, name: name, failure: failures.first.message)
      puts "[Bridge trace] #{Pathname(path).relative_path_from(::Rails.root)}"
    rescue Bridged::Error => e
      # A daemon that has ended must not hide why the test has failed.
      warn e.message
    end
  end
end
