"""The suite in Playwright: one browser, a context for each test.   playwright_suite.py CHROMIUM URL COUNT"""

import sys

from playwright.sync_api import expect, sync_playwright

chromium, url, count = sys.argv[1:]


def test(browser):
    context = browser.new_context(viewport={"width": 393, "height": 852}, device_scale_factor=3)
    page = context.new_page()
    page.expose_binding("greet", lambda source, message: {"text": "Hello"})
    page.goto(url)
    expect(page.get_by_text("Greetings", exact=True)).to_be_visible()
    page.get_by_label("Name").fill("Zoe")
    page.locator("#send").click()
    expect(page.get_by_text("Hello", exact=True)).to_be_visible()
    context.close()


with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
    for _ in range(int(count)):
        test(browser)
    browser.close()
