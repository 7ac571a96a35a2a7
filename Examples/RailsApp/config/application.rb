require_relative "boot"
require "logger"
require "rails"
require "active_record/railtie"
require "action_controller/railtie"
require "action_view/railtie"
require "rails/test_unit/railtie"

Bundler.require(*Rails.groups)

# The web half of a small hybrid app: posts, a form in a modal, a sign-in, and two bridge components.
class RailsApp < Rails::Application
  config.load_defaults 6.1
  config.eager_load = Rails.env.production?
  config.consider_all_requests_local = true
  config.hosts.clear
  config.secret_key_base = "an example has no secrets"
  config.action_controller.allow_forgery_protection = !Rails.env.test?
  config.active_record.maintain_test_schema = true
  config.active_support.deprecation = :stderr
  config.active_support.test_order = :random
end
