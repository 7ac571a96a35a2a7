require "test_helper"

class ApplicationSystemTestCase < ActionDispatch::SystemTestCase
  driven_by :bridged, using: :ios

  def sign_in(name)
    visit "/session/new"
    fill_in "Name", with: name
    click_on "Sign in"
    assert_button "Sign out"
  end
end
