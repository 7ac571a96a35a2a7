# frozen_string_literal: true

# Capybara's own shared specs, for its drivers, with the driver of clients/ruby/lib/bridged/capybara.rb:
#
#     BRIDGED=.build/release/bridged BRIDGED_BROWSER=firefox rspec Tests/clients/capybara_spec.rb
#
# It needs ruby-capybara, ruby-rspec, ruby-sinatra and puma. docs/notes/capybara.md has the results, and says what cannot
# work for which reason.

$LOAD_PATH.unshift File.expand_path("../../clients/ruby/lib", __dir__)
require "bridged/capybara"
require "capybara/spec/spec_helper"

BROWSER = ENV.fetch("BRIDGED_BROWSER", "chromium")
# Capybara's pages are those of a website, so the app decides nothing about their links and windows.
Capybara.register_driver(:bridged_specs) do |app|
  Bridged::Capybara::Driver.new(app, browser: BROWSER, device: "none", window_size: [1400, 1400], **eval(ENV.fetch("BRIDGED_OPTIONS", "{}")))
end
Capybara.server = :puma, { Silent: true, Threads: "0:4" }

RSpec.configure do |config|
  Capybara::SpecHelper.configure(config)
  config.around do |example|
    Timeout.timeout(90) { example.run }
  end
end

# Only the groups whose names fit: BRIDGED_ONLY='node|#visit'.
if (only = ENV["BRIDGED_ONLY"])
  Capybara::SpecHelper.instance_variable_get(:@specs).select! { |name, *| name.to_s.match?(/\A(?:#{only})\z/) }
end
# One of several processes that share the work: BRIDGED_PART=1/2.
if (part = ENV["BRIDGED_PART"])
  number, count = part.split("/").map(&:to_i)
  Capybara::SpecHelper.instance_variable_get(:@specs).select!.with_index { |_, index| index % count == number - 1 }
end

# What cannot work, and why.
SKIPPED = {
  windows: "an app opens no windows: the emulated app loads in its web view what a page opens in a window",
  response_headers: "the records of requests have no headers"
}.freeze

session = Capybara::Session.new(:bridged_specs, TestApp)
Capybara::SpecHelper.run_specs session, "bridged", capybara_skip: SKIPPED.keys
