# frozen_string_literal: true

require "rails/generators/base"

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
        if File.exist?(File.join(destination_root, file))
          gsub_file file, /^(\s*)driven_by .*/, '\1driven_by :bridged, using: :ios'
        else
          copy_file "application_system_test_case.rb", file
        end
      end

      def add_tag
        layout = "app/views/layouts/application.html.erb"
        return unless File.exist?(File.join(destination_root, layout))

        # Before all other scripts. In production the gem is not there.
        insert_into_file layout, "\n    <%= bridged_tag if Rails.env.development? %>", after: /<head>/
      end
    end
  end
end
