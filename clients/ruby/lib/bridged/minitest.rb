# frozen_string_literal: true

# Assertions of Minitest about the native half of the app. Include the module into the test case:
#
#     class PostsTest < ApplicationSystemTestCase
#       include Bridged::Minitest
#
#       test "saves" do
#         visit "/posts/new"
#         native.tap_bar_button "Save"
#         assert_bridge_message "form", event: "submitDisabled"
#         assert_screen "/posts/1", title: "One"
#         assert_no_bridge_problem
#       end
#     end

require "minitest"
require_relative "assertions"

module Bridged
  module Minitest
    include Assertions

    private

    def bridged_count = self.assertions += 1

    def bridged_failure(message) = flunk(message)
  end
end
