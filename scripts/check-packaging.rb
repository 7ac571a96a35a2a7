#!/usr/bin/env ruby
# Checks the files that only other machines run: the formula, the Dockerfile, the GitHub action and the workflows.
require "open3"
require "yaml"

Encoding.default_external = "UTF-8"

Dir.chdir(File.expand_path("..", __dir__))
$mistakes = []
def expect(truth, message) = truth || $mistakes << message
def run(*command, **options) = Open3.capture2e(*command, **options).then { |text, status| [status.success?, text] }

version = File.read("Sources/BridgeServer/Version.swift")[/static let version = "(\d+\.\d+\.\d+)"/, 1]
expect version, "Sources/BridgeServer/Version.swift has no version such as 0.1.0."

valid, text = run("ruby", "-c", "Formula/bridged.rb")
expect valid, "Formula/bridged.rb is no Ruby: #{text}"
formula = File.read("Formula/bridged.rb")
expect formula.include?(%(tag: "v#{version}")), "Formula/bridged.rb does not name the tag v#{version}."
File.read("Package.swift").scan(/\.brew\(\["(\w+)"\]\)/).flatten.each do |name|
  expect formula.include?(%(depends_on "#{name}")), "Formula/bridged.rb does not depend on #{name}, as Package.swift does."
end

# What the image runs is tested without Docker, in a root made by debootstrap.
test = File.read("scripts/check-package") + File.read("scripts/fresh-root")
runs = File.read("Dockerfile").gsub("\\\n", " ")[/^RUN (.*)$/, 1].split("&&").map { |command| command.split.join(" ") }
runs.grep(/^apt-get/).each do |command|
  expect test.include?(command), "scripts/check-package does not run `#{command}`, as the Dockerfile does."
end
expect runs.grep(/^apt-get/).count == 3, "The Dockerfile has no line RUN with three commands of apt-get."

action = YAML.load_file("action.yml")
expect (%w[name description inputs runs] - action.keys).empty?, "action.yml lacks a key: it has #{action.keys}."
expect action.dig("runs", "using") == "composite", "action.yml is not composite."
steps = action.dig("runs", "steps") || []
steps.each do |step|
  next if step["uses"].to_s.match?(/\Aactions\/\w[\w-]*@v\d+\z/)
  valid, text = run("bash", "-n", stdin_data: step["run"].to_s)
  expect valid && step["shell"] == "bash", "The step #{step["name"]} of action.yml is no bash: #{text}"
  expect !step["run"].to_s.include?("${{"), "The step #{step["name"]} puts an input into its script. Use env."
end
used = steps.flat_map { |step| [step["if"], *step.fetch("env", {}).values, *step.fetch("with", {}).values] }.join.scan(/inputs\.(\w+)/).flatten.uniq
expect used.sort == action["inputs"].keys.sort, "action.yml declares #{action["inputs"].keys} and uses #{used}."

{ ".github/workflows/test.yml" => "make test", "Examples/github-workflow.yml" => "/bridged@v#{version}" }.each do |file, part|
  workflow = YAML.load_file(file)
  # YAML 1.1 reads the key `on` as true.
  expect workflow["name"] && (workflow["on"] || workflow[true]), "#{file} lacks name or on."
  workflow.fetch("jobs", {}).each do |name, job|
    expect job["runs-on"] && job["steps"].is_a?(Array), "The job #{name} in #{file} lacks runs-on or steps."
    job["steps"].each { |step| expect step["run"] || step["uses"], "#{file} has a step that runs and uses nothing." }
  end
  expect File.read(file).include?(part), "#{file} does not have #{part}."
end
given = YAML.load_file("Examples/github-workflow.yml")["jobs"]["flows"]["steps"].filter_map { |step| step["with"] }.first
expect (given.keys - action["inputs"].keys).empty?, "Examples/github-workflow.yml gives inputs that action.yml lacks."

abort $mistakes.map { |line| "error: #{line}" }.join("\n") unless $mistakes.empty?
