# frozen_string_literal: true

require_relative "../bridged"

module Bridged
  # What a Rails app gets from the gem: `bridged_tag` in its layout, and drivers and assertions in its system tests.
  class Railtie < ::Rails::Railtie
    initializer "bridged.tag" do
      ActiveSupport.on_load(:action_view) { include Bridged::TagHelper }
    end

    # The lines of a request in log/test.log name the system test that has made it. (Those of the server have no heading.)
    initializer "bridged.log" do |app|
      app.config.log_tags = [*app.config.log_tags, ->(_request) { Bridged.current_test }] if ::Rails.env.test?
    end

    initializer "bridged.system_tests" do
      ActiveSupport.on_load(:action_dispatch_system_test_case) do
        require_relative "rails/system_tests"
        include Bridged::SystemTests
      end
    end
  end

  # The script tag for a desktop browser that `bridged serve` serves (docs/get-started.md).
  module TagHelper
    # Renders the tag in development only. It has to come before all other scripts. Apps and driven browsers, which have the
    # bridge already, do not need it, and it does nothing there.
    def bridged_tag(url: ENV.fetch("BRIDGED_URL", "http://localhost:2734/"))
      return unless ::Rails.env.development?

      # The policy of the page may ask for a nonce. A template may also be rendered without a request.
      nonce = respond_to?(:request) && request ? true : nil
      javascript_include_tag("#{url.chomp("/")}/bridge.js", nonce: nonce, extname: false)
    end
  end
end
