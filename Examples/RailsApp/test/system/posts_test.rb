require "application_system_test_case"

class PostsTest < ApplicationSystemTestCase
  setup { sign_in "Zoe" }

  test "writes a post in the modal, with the button of the app's bar" do
    click_on "New post"
    assert_modal "/posts/new"
    assert_bridge_message "form", event: "connect", data: { submitTitle: "Save" }
    fill_in "Title", with: "One"
    native.tap_bar_button "Save"
    assert_screen "/posts/1", title: "One"
    assert_no_modal
    assert_no_bridge_problem
  end

  test "keeps the modal if the post has no title" do
    click_on "New post"
    assert_bar_button "Save"
    native.tap_bar_button "Save"
    assert_text "Title can't be blank"
    assert_modal "/posts/new"
  end

  test "asks with the app's menu before it deletes" do
    post = Post.create!(title: "Two")
    visit "/posts"
    click_on "Two"
    assert_stack "/posts", "/posts/#{post.id}"
    click_on "Delete"
    assert_bridge_message "menu", event: "display"
    native.select "Delete"
    assert_screen "/posts", title: "Posts"
    assert_no_text "Two"
  end

  test "goes back" do
    Post.create!(title: "Three")
    visit "/posts"
    click_on "Three"
    assert_screen "/posts/*", title: "Three"
    native.back
    assert_screen "/posts"
  end

  test "hides what only browsers need" do
    assert_no_selector "nav"
  end
end
