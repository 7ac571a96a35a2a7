#!/usr/bin/env ruby
# frozen_string_literal: true

# Writes the commands of action.yml as one bash script, to try them without GitHub: scripts/action-steps.rb INPUT=VALUE…
#
# It does what a runner does with `run`, `env` and `${{ … }}`, as far as action.yml uses them. Steps that use other actions
# (cache and upload) are left out.

require "shellwords"
require "yaml"

action = YAML.load_file(File.expand_path("../action.yml", __dir__))
inputs = action.fetch("inputs").transform_values { |input| input["default"].to_s }
inputs.merge!(ARGV.to_h { |argument| argument.split("=", 2) })

# Returns the bash expression for a value: GitHub's expressions become variables of the script.
def value(text, inputs)
  parts = text.to_s.split(/(\$\{\{.*?\}\})/).reject(&:empty?).map do |part|
    case part[/\A\$\{\{\s*(.*?)\s*\}\}\z/, 1]
    when nil then Shellwords.escape(part)
    when /\Ainputs\.([\w-]+)\z/ then Shellwords.escape(inputs.fetch($1))
    when /\Asteps\.([\w-]+)\.outputs\.([\w-]+)\z/ then %("$(sed -n 's/^#{$2}=//p' "$RUNNER_TEMP/#{$1}")")
    when /\Agithub\.(\w+)\z/ then Shellwords.escape("github-#{$1}")
    else abort("scripts/action-steps.rb does not know #{part}")
    end
  end
  parts.empty? ? "''" : parts.join
end

puts "set -euo pipefail", 'export RUNNER_TEMP=$(mktemp -d)'
action.fetch("runs").fetch("steps").each do |step|
  next unless step["run"]

  puts "", "# #{step["name"]}", "echo #{Shellwords.escape("-- #{step["name"]}")}"
  settings = step.fetch("env", {}).map { |name, text| "#{name}=#{value(text, inputs)}" }
  outputs = "$RUNNER_TEMP/#{step["id"] || "none"}"
  # A step's GITHUB_PATH is the PATH of those after it.
  puts %(touch "#{outputs}"; GITHUB_OUTPUT="#{outputs}" GITHUB_PATH="$RUNNER_TEMP/path" #{settings.join(" ")} bash -e <<'STEP'),
       step["run"], "STEP", 'PATH="$(paste -sd : "$RUNNER_TEMP/path" 2>/dev/null || true)${PATH:+:$PATH}"; PATH=${PATH#:}'
end
