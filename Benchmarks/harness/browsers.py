"""Round trips from a page in real browsers, compared with the alternatives to the bridge."""

import contextlib
import http.server
import json
import os
import pathlib
import queue
import shutil
import subprocess
import sys
import threading
import urllib.request

from .processes import BUILT, bare_echo, echo_app, folder, running

PAGES = pathlib.Path(__file__).resolve().parents[1] / "browser"
TIMEOUT = 90


class PageServer(http.server.ThreadingHTTPServer):
    """Serves the page and receives its results. The headers isolate the page, which gives it a precise clock."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.results = queue.Queue()
        self.script = b""
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://localhost:{self.server_port}/page.html"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        name = self.path.split("?")[0].lstrip("/")
        if name == "bridge.js":
            return self.answer("text/javascript", self.server.script)
        if name not in ("page.html", "page.mjs"):
            return self.send_error(404)
        self.answer("text/html" if name.endswith("html") else "text/javascript", (PAGES / name).read_bytes())

    def do_POST(self):
        self.server.results.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.answer("text/plain", b"")

    def answer(self, kind, body):
        self.send_response(200)
        for name, value in {
            "Content-Type": kind, "Content-Length": str(len(body)), "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Embedder-Policy": "credentialless",
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def chromium():
    return shutil.which("chromium") or shutil.which("google-chrome")


def firefox_profile(path):
    (path / "user.js").write_text('user_pref("privacy.reduceTimerPrecision", false);\n')
    return path


@contextlib.contextmanager
def display():
    """A virtual screen for WebKitGTK."""
    read, write = os.pipe()
    screen = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-nolisten", "tcp"], pass_fds=[write], stderr=subprocess.DEVNULL)
    try:
        yield f":{os.read(read, 16).decode().strip()}"
    finally:
        screen.kill()


def has_webkit():
    code = "import gi; gi.require_version('WebKit2', '4.1'); gi.require_version('Gtk', '3.0')"
    return subprocess.run(["/usr/bin/python3", "-c", code], capture_output=True).returncode == 0


def results_of(server, name):
    print(f"  {name} …", file=sys.stderr, flush=True)
    try:
        outcome = server.results.get(timeout=TIMEOUT)
    except queue.Empty:
        print(f"  {name}: no answer within {TIMEOUT} s", file=sys.stderr)
        return {}
    if "error" in outcome:
        print(f"  {name}: {outcome['error']}", file=sys.stderr)
    return outcome.get("results", {})


def measure():
    """Returns, by browser and by peer, the `times` of round trips in microseconds and the `bursts`."""
    server = PageServer()
    results = {"Chromium": {}, "Firefox": {}}
    with folder() as path, bare_echo(path) as bare, echo_app(path, "--log", path / "log.ndjson") as app:
        bridge, socket = int(app.first_line()), int(bare.first_line())
        server.script = urllib.request.urlopen(f"http://localhost:{bridge}/bridge.js").read()
        url = f"{server.url}?bridge={bridge}&socket={socket}"
        flags = ["--headless=new", "--no-sandbox", f"--user-data-dir={path / 'chromium'}"]
        (path / "firefox").mkdir()
        with running(chromium(), *flags, url):
            results["Chromium"].update(results_of(server, "Chromium"))
        with running("firefox-esr", "--headless", "--profile", firefox_profile(path / "firefox"), url):
            results["Firefox"].update(results_of(server, "Firefox"))
        with running("node", PAGES / "devtools.mjs", chromium(), path / "devtools", server.url):
            results["Chromium"].update(results_of(server, "DevTools"))
        with running(sys.executable, PAGES / "playwright_peer.py", chromium(), server.url):
            results["Chromium"].update(results_of(server, "Playwright"))
        if has_webkit():
            with display() as screen, running(
                "/usr/bin/python3", PAGES / "webkit_peer.py", server.url, DISPLAY=screen, LIBGL_ALWAYS_SOFTWARE="1"):
                results["WebKitGTK"] = results_of(server, "WebKitGTK")
        for name, engine in {"Chromium": "chromium", "Firefox": "firefox", "WebKitGTK": "webkit"}.items():
            with running(
                BUILT / "bridged", "open", f"{server.url}?peer=driven", "--in", engine, "--headless",
                "--url", f"http://127.0.0.1:{bridge}", XDG_RUNTIME_DIR=str(path)):
                results.setdefault(name, {}).update(results_of(server, f"driven {name}"))
    return results
