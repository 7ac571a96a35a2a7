# frozen_string_literal: true

# A Rails app gets the gem: the generator, the tag, and the first system test. Needs BRIDGED, Rails and Chromium.

require "fileutils"
require "minitest/autorun"
require "open3"
require "tmpdir"
$LOAD_PATH.unshift File.expand_path("../../clients/ruby/lib", __dir__)
require "bridged/rails/system_tests"

ENV["BRIDGED"] ||= File.expand_path("../../.build/debug/bridged", __dir__)

class RailsTest < Minitest::Test
  ROOT = File.expand_path("../..", __dir__)

  # An app that does not know bridged yet, but for the line in its Gemfile.
  def setup
    @app = Dir.mktmpdir("rails-")
    FileUtils.cp_r("#{ROOT}/Examples/RailsApp/.", @app)
    FileUtils.rm_rf(%w[bridged.yml test/system Gemfile.lock log tmp].map { |path| "#{@app}/#{path}" })
    { "turbo.js" => ".third-party/turbo.js", "components.js" => "Examples/TurboApp/components.js" }.each do |name, path|
      FileUtils.rm("#{@app}/public/#{name}") # A link of the repository.
      FileUtils.cp("#{ROOT}/#{path}", "#{@app}/public/#{name}")
    end
    change("Gemfile") { |text| text.sub('"../../clients/ruby"', "#{ROOT}/clients/ruby".inspect) }
    change("app/views/layouts/application.html.erb") { |text| text.sub(/ *<%= bridged_tag %>\n/, "") }
    change("test/application_system_test_case.rb") { |text| text.sub(/driven_by .*/, "driven_by :selenium, using: :chrome") }
    run_in_app("bundle", "install", "--local", "--quiet")
  end

  def teardown = FileUtils.rm_rf(@app)

  def test_generator_writes_a_first_test_that_passes
    run_in_app("bin/rails", "generate", "bridged:install")
    assert_equal "  driven_by :bridged, using: :ios\n", line("test/application_system_test_case.rb", "driven_by")
    assert_equal "    <%= bridged_tag if Rails.env.development? %>\n", line("app/views/layouts/application.html.erb", "bridged")
    run_in_app("bin/rails", "db:schema:load", "RAILS_ENV" => "test")
    output = run_in_app("bin/rails", "test:system", "RAILS_ENV" => "test")
    assert_match(/^1 runs, [1-9]\d* assertions, 0 failures, 0 errors/, output)
  end

  def test_failure_keeps_the_trace
    run_in_app("bin/rails", "generate", "bridged:install")
    run_in_app("bin/rails", "db:schema:load", "RAILS_ENV" => "test")
    change("test/system/bridge_test.rb") { |text| text.sub("assert_no_bridge_problem", 'assert_screen "/elsewhere", timeout: 0') }
    environment = { "RAILS_ENV" => "test", "RAILS_SYSTEM_TESTING_SCREENSHOT_HTML" => "1" }
    output, status = Open3.capture2e(environment, "bin/rails", "test:system", chdir: @app)
    refute status.success?
    html = Dir["#{@app}/tmp/screenshots/*.html"].reject { |path| path.end_with?(".trace.html") }.map { |path| File.read(path) }
    assert_equal [false], html.map { |page| page.include?('"event":"visitCompleted"') }, "Rails' HTML of the page is lost."
    assert_match(%r{Expected the screen /elsewhere within 0 s. Found /posts}, output)
    trace = File.read("#{@app}/#{output[/^\[Bridge trace\] (.*)$/, 1]}")
    assert_includes trace, '"event":"visitCompleted"'
    assert_includes trace, "Expected the screen /elsewhere"
    assert_match(/"text":"visit [^"]*","time"/, trace)
    assert_match(/"event":"note","text":"BridgeTest#test_/, trace)
    assert_match(%r{^\[BridgeTest#test_\w+\] Started GET "/}, File.read("#{@app}/log/test.log"))
    assert trace.include?('id="picture-0">iVBOR'), "There is no picture."
  end

  def test_tag_is_there_in_development_only
    script = "puts ApplicationController.helpers.bridged_tag.to_s.inspect"
    tag = run_in_app("bin/rails", "runner", script, "RAILS_ENV" => "development")
    assert_match(%r{<script src=\\"http://localhost:2734/bridge.js\\"></script>}, tag)
    assert_equal "\"\"\n", run_in_app("bin/rails", "runner", script, "RAILS_ENV" => "test")
  end

  def test_generator_leaves_a_call_that_it_does_not_understand
    calls = { "driven_by :selenium, using: :chrome do |options|\n    options.add_argument('no-sandbox')\n  end" => nil,
              "driven_by :selenium,\n    using: :chrome" => nil, "driven_by :selenium if ENV['CI']" => nil,
              "driven_by(:selenium, using: :chrome) # as on CI" => "  driven_by :bridged, using: :ios" }
    script = <<~SCRIPT
      require "rails/generators"
      require "generators/bridged/install/install_generator"
      ARGV.each do |folder|
        Bridged::Generators::InstallGenerator.new([], {}, destination_root: folder).drive_system_tests
      end
    SCRIPT
    folders = calls.keys.each_with_index.map do |call, index|
      FileUtils.mkdir_p("#{@app}/#{index}/test")
      change("#{index}/test/application_system_test_case.rb") { "class SomeCase\n  #{call}\nend\n" }
      "#{@app}/#{index}"
    end
    output = run_in_app("bin/rails", "runner", script, *folders)
    assert_equal 3, output.scan("replace the call of driven_by by: driven_by :bridged, using: :ios").size
    calls.each_with_index do |(call, line), index|
      assert_equal "class SomeCase\n#{line || "  #{call}"}\nend\n", File.read("#{@app}/#{index}/test/application_system_test_case.rb")
    end
  end

  private

  def change(path)
    file = "#{@app}/#{path}"
    File.write(file, yield(File.exist?(file) ? File.read(file) : ""))
  end

  def line(path, word) = File.readlines("#{@app}/#{path}").find { |line| line.include?(word) }

  # Returns what the command has printed.
  def run_in_app(*command, **variables)
    environment = command.last.is_a?(Hash) ? command.pop : variables
    output, status = Open3.capture2e(environment.transform_keys(&:to_s), *command, chdir: @app)
    assert status.success?, "#{command.join(" ")} failed:\n#{output}"
    output
  end
end

# What `driven_by` makes of its options, without Rails.
class DrivenByTest < Minitest::Test
  # Stands for Rails' class of system tests.
  class SystemTest < Minitest::Test
    attr_reader :took

    def self.driven_by(name, **options) = [name, options]

    def take_failed_screenshot = @took = true

    def failed? = true
    def page = @page ||= Capybara::Session.new(:bridged)
  end

  class Case < SystemTest
    include Bridged::SystemTests
  end

  def test_only_what_is_said_names_the_framework
    assert_equal({}, settings(driven_by(:bridged)))
    assert_equal({ framework: "android" }, settings(driven_by(:bridged, using: :android)))
    assert_equal({ framework: "android" }, settings(driven_by(:bridged, options: { platform: :android })))
    assert_equal({ framework: "ios@1.2" }, settings(driven_by(:bridged, using: :ios, options: { framework: "ios@1.2" })))
  end

  def test_options_for_other_drivers_are_understood
    driver = driven_by(:bridged_firefox, screen_size: [500, 700], options: { name: :phone, tab: ["Home=/"] })
    assert_equal [[500, 700], { tab: ["Home=/"] }], [driver.instance_variable_get(:@size), settings(driver)]
    others = { screen_size: [1, 2], options: { name: :big } }
    assert_equal [:selenium, { using: :chrome, **others }], Case.driven_by(:selenium, using: :chrome, **others)
  end

  def test_a_failure_before_any_visit_starts_no_daemon
    test = Case.new("nothing")
    test.take_failed_screenshot
    refute test.page.driver.running?
    refute test.took
  end

  private

  def driven_by(...) = Capybara.drivers[Case.driven_by(...).first].call(nil)

  def settings(driver) = driver.instance_variable_get(:@settings)
end
