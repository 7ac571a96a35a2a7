# frozen_string_literal: true

require "rails/generators/base"
require "ripper"

module Bridged
  module Generators
    # `bin/rails generate bridged:install`: the settings, a first system test and a first flow.
    class InstallGenerator < ::Rails::Generators::Base
      desc "Adds bridged.yml, a first system test and a first flow."
      source_root File.expand_path("templates", __dir__)

      def copy_files
        copy_file "bridged.yml"
        copy_file "bridge_test.rb", "test/system/bridge_test.rb"
        copy_file "first.yml", "test/flows/first.yml"
      end

      def drive_system_tests
        file = "test/application_system_test_case.rb"
        path = File.join(destination_root, file)
        return copy_file("application_system_test_case.rb", file) unless File.exist?(path)

        calls = File.readlines(path).grep(/^\s*driven_by\b/)
        if calls.size == 1 && whole_call?(calls.first)
          gsub_file file, /^(\s*)driven_by\b.*/, "\\1#{CALL}"
        else
          say "In #{file}, replace the call of driven_by by: #{CALL}", :yellow
        end
      end

      def add_tag
        layout = "app/views/layouts/application.html.erb"
        return unless File.exist?(File.join(destination_root, layout))

        # Before all other scripts. In production the gem is not there.
        insert_into_file layout, "\n    <%= bridged_tag if Rails.env.development? %>", after: /<head>/
      end

      private

      CALL = "driven_by :bridged, using: :ios"
      private_constant :CALL

      # Whether a line is a call that neither goes on in the next line, nor has a block or a condition.
      def whole_call?(line)
        _, (call, *others) = Ripper.sexp(line)
        others.empty? && %i[command method_add_arg].include?(call&.first) && !line.strip.end_with?("\\")
      end
    end
  end
end
