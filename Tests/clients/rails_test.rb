# frozen_string_literal: true

# A Rails app gets the gem: the generator, the tag, and the first system test. Needs BRIDGED, Rails and Chromium.

require "fileutils"
require "minitest/autorun"
require "open3"
require "tmpdir"

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
    output, status = Open3.capture2e({ "RAILS_ENV" => "test" }, "bin/rails", "test:system", chdir: @app)
    refute status.success?
    assert_match(%r{Expected the screen /elsewhere within 0 s. Found /posts}, output)
    trace = File.read("#{@app}/#{output[/^\[Bridge trace\] (.*)$/, 1]}")
    assert_includes trace, '"event":"visitCompleted"'
    assert_includes trace, "Expected the screen /elsewhere"
    assert trace.include?('id="picture-0">iVBOR'), "There is no picture."
  end

  def test_tag_is_there_in_development_only
    script = "puts ApplicationController.helpers.bridged_tag.to_s.inspect"
    tag = run_in_app("bin/rails", "runner", script, "RAILS_ENV" => "development")
    assert_match(%r{<script src=\\"http://localhost:2734/bridge.js\\"></script>}, tag)
    assert_equal "\"\"\n", run_in_app("bin/rails", "runner", script, "RAILS_ENV" => "test")
  end

  private

  def change(path) = File.write("#{@app}/#{path}", yield(File.read("#{@app}/#{path}")))

  def line(path, word) = File.readlines("#{@app}/#{path}").find { |line| line.include?(word) }

  # Returns what the command has printed.
  def run_in_app(*command, **variables)
    environment = command.last.is_a?(Hash) ? command.pop : variables
    output, status = Open3.capture2e(environment.transform_keys(&:to_s), *command, chdir: @app)
    assert status.success?, "#{command.join(" ")} failed:\n#{output}"
    output
  end
end
