require "test_helper"

class ApplicationSystemTestCase < ActionDispatch::SystemTestCase
  # DRIVER=bridged_webkit PLATFORM=android bin/rails test:system
  driven_by ENV.fetch("DRIVER", "bridged").to_sym, using: ENV.fetch("PLATFORM", "ios")

  def sign_in(name)
    visit "/posts"
    click_on "Sign in"
    fill_in "Name", with: name
    click_on "Sign in"
    assert_button "Sign out"
  end
end
