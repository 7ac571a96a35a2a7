# frozen_string_literal: true

require_relative "lib/bridged/version"

# `gem build bridged.gemspec` makes the gem without an executable. If libexec/ has one (bin/bridged with its libraries beside
# it, as scripts/package makes it), the gem is the one for this platform and carries it.
Gem::Specification.new do |gem|
  carried = Dir.chdir(__dir__) { Dir["libexec/**/*"].select { |path| File.file?(path) } }
  gem.name = "bridged"
  gem.version = Bridged::VERSION
  gem.platform = Gem::Platform.local if carried.any?
  gem.summary = "Runs the native half of a hybrid app without a phone, and tests its pages with Capybara"
  gem.description = "Starts bridged, the daemon that stands in for the native half of a Hotwire Native app or any other " \
                    "app whose screens are web pages. With Capybara drivers for Chromium, Firefox and WebKit."
  gem.authors = ["The bridged developers"]
  gem.license = "MIT"
  gem.homepage = "https://git.example.com/bridged"
  gem.required_ruby_version = ">= 3.0"
  gem.files = Dir.chdir(__dir__) { Dir["lib/**/*"].select { |path| File.file?(path) } } + ["exe/bridged"] + carried
  gem.bindir = "exe"
  gem.executables = ["bridged"]
end
