"""How long fifty flows of five steps take in each engine, beside as many tests in Playwright."""

import contextlib
import functools
import http.server
import os
import shutil
import subprocess
import sys
import threading
import time

from .browsers import PAGES, chromium
from .processes import BUILT, folder, leave_out
from .turns import comparison, take_turns

FLOWS = 50
ROUNDS = 3  # Each takes two minutes.
ENGINES = {"chromium": chromium, "webkit": lambda: (BUILT / "bridged-webkit").exists(), "firefox": lambda: shutil.which("firefox-esr")}
PLAYWRIGHT = "Playwright"
#: Playwright's tests have no traces, which it takes only if it is told to.
SUITES = {
    "chromium": ("chromium", ["--trace", "off"]),
    "webkit": ("webkit", ["--trace", "off"]),
    "firefox": ("firefox", ["--trace", "off"]),
    "chromium, 2 jobs": ("chromium", ["--trace", "off", "--jobs", "2"]),
    "webkit, 2 jobs": ("webkit", ["--trace", "off", "--jobs", "2"]),
    "chromium, with pictures": ("chromium", []),
    "chromium, with pictures, 2 jobs": ("chromium", ["--jobs", "2"]),
}
FLOW = """name: Greeting
steps:
  - open: {url}
  - expect text: Greetings
  - fill: {{label: Name, with: Zoe}}
  - tap: "#send"
  - expect text: Hello
"""
SETTINGS = """stubs:
  - {handler: greet, reply: {value: {text: Hello}}}
"""


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@contextlib.contextmanager
def site():
    """Serves the pages to both sides. Yields the address of the suite's page."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=PAGES)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}/suite.html"
        server.shutdown()


def measure():
    with folder() as path, site() as url:
        flows = path / "flows"
        flows.mkdir()
        for number in range(FLOWS):
            (flows / f"greeting-{number:02}.yml").write_text(FLOW.format(url=url))
        (path / "bridged.yml").write_text(SETTINGS)
        commands = {PLAYWRIGHT: [sys.executable, PAGES / "playwright_suite.py", chromium(), url, str(FLOWS)]}
        for name, (engine, options) in SUITES.items():
            if ENGINES[engine]():
                commands[name] = [BUILT / "bridged", "test", flows, "--in", engine, *options]
            else:
                leave_out(f"flows in {engine}", "it is not installed, or not built")
        found = take_turns({name: lambda command=command: run(command, path) for name, command in commands.items()}, ROUNDS)
    return [
        comparison(f"{FLOWS} flows: {name} / Playwright", "s", "seconds", found[name], found[PLAYWRIGHT])
        for name in SUITES if name in found]


def run(command, path):
    start = time.perf_counter()
    done = subprocess.run(
        [str(part) for part in command], cwd=path, capture_output=True, text=True,
        env={**os.environ, "XDG_RUNTIME_DIR": str(path)})
    seconds = time.perf_counter() - start
    if done.returncode:
        raise SystemExit(f"{command[0]} failed: {done.stdout[-2_000:]}{done.stderr[-2_000:]}")
    return {"seconds": seconds}
