require "application_system_test_case"

class BridgeTest < ApplicationSystemTestCase
  test "shows the first screen" do
    visit "/"
    assert_screen "/*" # a page without an error
    assert_no_bridge_problem
  end
end
