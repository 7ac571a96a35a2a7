"""Playwright's exposeBinding as a bridge.   playwright_peer.py CHROMIUM URL"""

import sys

from playwright.sync_api import sync_playwright

chromium, url = sys.argv[1:]
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
    page = browser.new_page()
    page.expose_binding("exposed", lambda source, message: message)
    page.goto(url)
    page.wait_for_timeout(600_000)  # until the benchmark kills this process
