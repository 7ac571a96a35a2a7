# frozen_string_literal: true

# Capybara drivers over the browsers that bridged drives, whose pages have the bridge of an app.
#
#     require "bridged/capybara"
#     Capybara.default_driver = :bridged          # or :bridged_firefox, :bridged_webkit
#
# Requests carry the app's user agent, and `page.driver.app` is the client of the daemon (docs/control.md):
#
#     visit "/posts/new"
#     page.driver.app.next_message("form")["body"]
#
# Other settings are those of `bridged serve`, and `device`, `headless` and `timeout`:
#
#     Capybara.register_driver(:android) { |app| Bridged::Capybara::Driver.new(app, platform: :android) }
#     Capybara.register_driver(:old) { |app| Bridged::Capybara::Driver.new(app, framework: "ios@1.2") }

require "capybara"
require_relative "../bridged"
require_relative "native"
require_relative "capybara/errors"
require_relative "capybara/keys"
require_relative "capybara/page"
require_relative "capybara/windows"
require_relative "capybara/dialogs"
require_relative "capybara/node"
require_relative "capybara/driver"

{ bridged: "chromium", bridged_firefox: "firefox", bridged_webkit: "webkit" }.each do |name, browser|
  Capybara.register_driver(name) { |app| Bridged::Capybara::Driver.new(app, browser: browser) }
end
