# frozen_string_literal: true

# Tests of the gem: what `gem build` puts into it, and which executable it finds. They need neither a daemon nor a network.

require "minitest/autorun"
require "fileutils"
require "open3"
require "rubygems/package"
require "tmpdir"

class GemTest < Minitest::Test
  SOURCES = File.expand_path("../../clients/ruby", __dir__)

  def setup
    @folder = Dir.mktmpdir("bridged-gem-")
    FileUtils.cp_r("#{SOURCES}/.", @folder)
  end

  def teardown = FileUtils.rm_rf(@folder)

  def test_the_version_is_that_of_the_daemon
    swift = File.read(File.expand_path("../../Sources/BridgeServer/Version.swift", __dir__))
    assert_equal swift[/static let version = "(.*)"/, 1], build.version.to_s
  end

  def test_the_gem_without_an_executable_is_for_every_platform
    gem = build
    assert_equal "ruby", gem.platform.to_s
    assert_includes gem.files, "lib/bridged/capybara/page.js"
    own = Dir.chdir(File.expand_path("../../clients/ruby", __dir__)) { Dir["lib/**/*"].select { |path| File.file?(path) } }
    assert_empty own - gem.files
    assert_equal ["bridged"], gem.executables
  end

  def test_the_gem_with_an_executable_is_for_this_platform_and_runs_it
    program "libexec/bin/bridged", "echo carried $*"
    gem = build
    assert_equal Gem::Platform.local, gem.platform
    assert_includes gem.files, "libexec/bin/bridged"
    assert_equal "carried doctor --install\n", run_exe("doctor", "--install", "BRIDGED" => "/nowhere")
  end

  def test_without_one_BRIDGED_and_then_PATH_name_it
    named = program("named", "echo named")
    program "path/bridged", "echo path"
    path = { "PATH" => "#{@folder}/path:#{ENV.fetch("PATH")}" }
    assert_equal "named\n", run_exe("BRIDGED" => named, **path)
    assert_equal "path\n", run_exe("BRIDGED" => nil, **path)
  end

  # RubyGems puts a script of the same name on PATH, which would run itself for ever.
  def test_a_script_of_ruby_on_PATH_is_not_the_executable
    program "path/bridged", "exit 1", "/usr/bin/env ruby"
    assert_match(/There is no bridged on PATH/, run_exe("BRIDGED" => nil, "PATH" => "#{@folder}/path:#{RbConfig::CONFIG["bindir"]}"))
  end

  # Minitest calls the blocks of after_run only if it has run the tests of this very process.
  def test_daemons_are_closed_with_the_process_that_started_them
    start = "Bridged::System.at_end { puts 'closed' }"
    tests = <<~TEST
      class SomeTest < Minitest::Test
        def test_nothing
          puts "tested"
          Process.wait(fork { #{start} }) if ENV["FORKS"]
        end
      end
    TEST
    assert_equal ["closed"], lines_of("require 'minitest'", start)
    assert_equal %w[tested closed], lines_of("require 'minitest/autorun'", start, tests)
    assert_equal %w[tested closed], lines_of("require 'minitest/autorun'", tests, "FORKS" => "1")
  end

  private

  # What a script says that has the gem.
  def lines_of(*parts, **environment)
    script = ["require 'bridged'", *parts].join("\n")
    output, = Open3.capture2e(environment, RbConfig.ruby, "-I", "#{@folder}/lib", "-e", script)
    output.lines.map(&:chomp) & %w[tested closed]
  end

  def build
    output, status = Open3.capture2e("gem", "build", "bridged.gemspec", "-o", "made.gem", chdir: @folder)
    assert status.success?, output
    Gem::Package.new("#{@folder}/made.gem").spec
  end

  def program(path, script, shell = "/bin/sh")
    file = "#{@folder}/#{path}"
    FileUtils.mkdir_p(File.dirname(file))
    File.write(file, "#!#{shell}\n#{script}\n")
    FileUtils.chmod(0o755, file)
    file
  end

  def run_exe(*arguments, **environment)
    Open3.capture2e(environment, RbConfig.ruby, "#{@folder}/exe/bridged", *arguments).first
  end
end
