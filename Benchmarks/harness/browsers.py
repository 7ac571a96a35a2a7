"""Round trips from a page in real browsers, compared with the alternatives to the bridge.

The pages of one group are open at the same time. Each measures when the harness says that it is its turn.
"""

import collections
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
import time
import urllib.request
from urllib.parse import parse_qs, urlencode, urlsplit

from .processes import BUILT, bare_echo, echo_app, folder, leave_out, running
from .turns import ROUNDS, comparison, figure

PAGES = pathlib.Path(__file__).resolve().parents[1] / "browser"
TIMEOUT = 30
SETTLING = 3  # seconds in which browsers end what they do after their start


class PageServer(http.server.ThreadingHTTPServer):
    """Serves the page, and tells each what to measure. The headers isolate the page, which gives it a precise clock."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.outcomes = collections.defaultdict(queue.Queue)
        self.turns = collections.defaultdict(queue.Queue)
        self.script = b""
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self, page, **ports):
        return f"http://localhost:{self.server_port}/page.html?{urlencode({'page': page, **ports})}"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        name = self.path.split("?")[0].lstrip("/")
        if name == "bridge.js":
            return self.answer("text/javascript", self.server.script)
        if name not in ("page.html", "page.mjs"):
            return self.send_error(404)
        self.answer("text/html" if name.endswith("html") else "text/javascript", (PAGES / name).read_bytes())

    def do_POST(self):
        """Takes what a page measured, and answers with its next turn, when that comes."""
        page = parse_qs(urlsplit(self.path).query)["page"][0]
        self.server.outcomes[page].put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        turn = self.server.turns[page].get()
        with contextlib.suppress(ConnectionError):  # The browser may have been killed meanwhile.
            self.answer("application/json", json.dumps(turn).encode())

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
    path.mkdir()
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


class Page:
    """A page that waits for its turn."""

    def __init__(self, name, server, program):
        self.name, self.server, self.program = name, server, program
        self.fails = False
        self.outcome()  # The page says that it is ready.

    def turn(self, peer="own", asked=5_000):
        if self.fails:
            return {}
        self.server.turns[self.name].put({"peer": peer, "asked": asked})
        return self.outcome()

    def outcome(self):
        until = time.monotonic() + TIMEOUT
        why = f"no answer within {TIMEOUT} s"
        while time.monotonic() < until:
            with contextlib.suppress(queue.Empty):
                found = self.server.outcomes[self.name].get(timeout=0.2)
                if "error" not in found:
                    return found
                why = found["error"]
                break
            if self.program.process.poll() is not None:
                why = f"{self.program.process.args[0]} ended: {self.program.last_error()}"
                break
        self.fails = True
        leave_out(self.name, why)
        return {}


class Pages:
    """The pages of one group, in a folder of their own, beside a daemon and a bare socket."""

    def __init__(self, stack):
        self.stack = stack
        self.path = stack.enter_context(folder())
        app = stack.enter_context(echo_app(self.path, "--log", self.path / "log.ndjson"))
        bare = stack.enter_context(bare_echo(self.path))
        self.bridge, self.socket = app.first_line(), bare.first_line()
        self.server = PageServer()
        self.server.script = urllib.request.urlopen(f"http://localhost:{self.bridge}/bridge.js").read()
        self.opened = {}

    def open(self, name, *command, ports=None, **environment):
        """Runs a command that opens the page. Its last argument will be the page's address."""
        if not command[0] or not shutil.which(command[0]):
            return leave_out(name, f"{command[0] or 'chromium'} is not installed")
        print(f"  {name} …", file=sys.stderr, flush=True)
        url = self.server.url(name, **(ports or {}))
        program = self.stack.enter_context(running(*command, url, **environment))
        program.ignore_output()
        self.opened[name] = Page(name, self.server, program)

    def open_tag(self, name, *command):
        """Opens the page with the bridge's script tag and the bare socket."""
        self.open(name, *command, ports={"bridge": self.bridge, "socket": self.socket})

    def open_driven(self, name, engine, **environment):
        self.open(name, BUILT / "bridged", "open", "--in", engine, "--headless", "--url", f"http://127.0.0.1:{self.bridge}",
                  XDG_RUNTIME_DIR=str(self.path), **environment)

    def compared(self, pairs, rounds=ROUNDS):
        """Measures in rounds, in each of them every side once, and returns a row for each pair.

        - pairs: two sides and what is compared: "sequential" or "burst". A side is a name of a page, or of one with the
          socket that it has as well: ("Chromium", "socket").
        """
        sides = dict.fromkeys(side for one, other in pairs for side in (one, other))
        found = {side: [] for side in sides}
        time.sleep(SETTLING)
        for _ in range(rounds):
            for side in sides:
                page, peer = side if isinstance(side, tuple) else (side, "own")
                if page in self.opened:
                    # A burst of 5,000 would take Playwright seconds.
                    found[side].append(self.opened[page].turn(peer, 500 if page == "Playwright" else 5_000))
        rows = []
        for one, other in pairs:
            if not all(found[side] and all(found[side]) for side in (one, other)):
                continue
            what = f"{called(one)} / {called(other)}"
            rows.append(comparison(f"{what}, one at a time", "µs", "sequential", found[one], found[other]))
            rows.append(comparison(f"{what}, in one turn", "a second", "burst", found[one], found[other]))
        return rows

    def install(self, name):
        """How long bridge.js takes to run in a new document, in milliseconds."""
        found = [self.opened[name].turn(asked="install") for _ in range(3)] if name in self.opened else []
        if not found or not all(found):
            return []
        return [figure(f"{name}: bridge.js runs in a new document in", "ms", [each["install"] / 1_000 for each in found])]


def called(side):
    return "bare socket" if isinstance(side, tuple) else side


def chromium_and_webkit():
    with contextlib.ExitStack() as stack:
        pages = Pages(stack)
        tag, devtools, driven = "Chromium tag", "DevTools", "driven Chromium"
        flags = ["--headless=new", "--no-sandbox", f"--user-data-dir={pages.path / 'chromium'}"]
        pages.open_tag(tag, chromium(), *flags)
        pages.open(devtools, "node", PAGES / "devtools.mjs", chromium(), pages.path / "devtools")
        pages.open("Playwright", sys.executable, PAGES / "playwright_peer.py", chromium())
        pages.open_driven(driven, "chromium")
        real, driven_webkit = "real WebKit", "driven WebKit"
        if not has_webkit():
            leave_out("everything beside real WebKit", "gir1.2-webkit2-4.1 or python3-gi is not installed")
        elif not (BUILT / "bridged-webkit").exists():
            leave_out(driven_webkit, "libwebkit2gtk-4.1-dev is not installed, or `bridged-webkit` is not built")
        if has_webkit():
            screen = stack.enter_context(display())
            pages.open(real, "/usr/bin/python3", PAGES / "webkit_peer.py", DISPLAY=screen, LIBGL_ALWAYS_SOFTWARE="1")
            if (BUILT / "bridged-webkit").exists():
                pages.open_driven(driven_webkit, "webkit")
        return pages.compared([
            (tag, (tag, "socket")), (tag, devtools), (tag, "Playwright"), (tag, real), (driven, devtools), (driven_webkit, real),
        ]) + pages.install(tag)


def firefox():
    with contextlib.ExitStack() as stack:
        pages = Pages(stack)
        tag, plain, driven = "Firefox tag", "plain BiDi", "driven Firefox"
        pages.open_tag(tag, "firefox-esr", "--headless", "--profile", firefox_profile(pages.path / "firefox"))
        pages.open(plain, sys.executable, PAGES / "bidi_peer.py", "firefox-esr", firefox_profile(pages.path / "bidi"))
        pages.open_driven(driven, "firefox")
        return pages.compared([(tag, (tag, "socket")), (driven, plain)]) + pages.install(tag)


def measure():
    return chromium_and_webkit() + firefox()
