# frozen_string_literal: true

# Capybara's driver for a Chromium without a window, which also starts if root is the user, as in most containers.
require "capybara"
require "selenium-webdriver"

Capybara.register_driver(:selenium_chrome_headless) do |app|
  options = Selenium::WebDriver::Chrome::Options.new(args: %w[headless=new no-sandbox disable-gpu])
  Capybara::Selenium::Driver.new(app, browser: :chrome, options: options)
end
