#!/usr/bin/env python3
"""The web half of a small hybrid app: posts, a form, a sign-in. Only the first script tag is specific to bridged.

    Examples/TurboApp/app.py

`--port` defaults to 4567. `--bridge` is the URL of the daemon's bridge.js. `--library` is a file with Turbo or Turbolinks,
as a classic script or as a module; by default Turbo 7.1 in `.third-party`, which scripts/install test fetches.
`--demo` serves the pages of the frameworks' own demo app instead, with a path configuration for each in `demo/`.
`--strict` serves the app as Rails does in production: without the script tag, with a Content-Security-Policy, and with an
HttpOnly session. A driven browser (`bridged open`, `bridged test --in`) runs it like that.
"""
import argparse
import json
import os
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from demo import pages as demo

TURBO = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.third-party/turbo.js")
PAGE = """<!doctype html>
<html><head>
{bridge}
<meta charset="utf-8"><title>{title}</title>
{library}
</head><body><h1>{title}</h1>{body}</body></html>"""

HOME = """
<a id="posts" href="/posts">Posts</a>
<a id="replace" href="/posts" data-turbo-action="replace" data-turbolinks-action="replace">Posts instead</a>
<a id="new" href="/posts/new">New post</a>
<a id="numbers" href="/numbers">Numbers</a>
<a id="old" href="/old">Old address</a>
<a id="away" href="/away">Away</a>
<a id="missing" href="/missing">Missing</a>
<a id="broken" href="/broken">Broken</a>
<a id="private" href="/private">Private</a>
<a id="slow" href="/slow">Slow</a>
<a id="components" href="/components">Components</a>
<a id="plain" href="/plain" data-turbo="false" data-turbolinks="false">Without Turbo</a>
<a id="outside" href="http://elsewhere.example/">Elsewhere</a>
<a id="anchor" href="#end">The end of this page</a>
<a id="twice" href="/posts/2">Twice</a>
<button id="push">Notifications</button>
<p style="height: 3000px"></p><p id="end">The end</p>
"""

FORM = """<form method="post" action="/posts"><p>{error}</p>
<input name="title" id="title"><button id="save">Save</button></form>"""

COMPONENTS = """<p id="said">nothing yet</p><button id="sort">Sort</button><button id="where">Where?</button>"""

SCRIPTS = {"/app.js": "app.js", "/components.js": "components.js"}

# What Rails sends in production, with the policy of its guide on security.
STRICT_FIELDS = [
    ("Content-Security-Policy", "default-src 'self'; script-src 'self'; object-src 'none'; frame-ancestors 'none'"),
    ("X-Frame-Options", "DENY"),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "strict-origin-when-cross-origin"),
]


class App(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def page(self, title, body, status=200, library=True):
        scripts = ["/library.js", "/components.js", "/app.js"] if library else ["/components.js", "/app.js"]
        kinds = {"/library.js": 'type="module" '} if options.library_is_module else {}
        html = PAGE.format(
            title=title, body=body, bridge="" if options.strict else f'<script src="{options.bridge}"></script>',
            library="\n".join(f'<script {kinds.get(script, "")}src="{script}"></script>' for script in scripts))
        self.answer(status, html.encode(), "text/html; charset=utf-8")

    def answer(self, status, body=b"", kind="text/plain", fields=()):
        self.send_response(status)
        for name, value in [*fields, *(STRICT_FIELDS if options.strict else [])]:
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def script(self, path):
        with open(path, "rb") as file:
            self.answer(200, file.read(), "text/javascript")

    def redirect(self, location, status=302):
        self.answer(status, fields=[("Location", location)])

    def do_GET(self):
        path = urlsplit(self.path).path
        if options.demo and self.demo(path):
            return
        if path == "/":
            self.page("Home", HOME)
        elif path == "/library.js":
            self.script(options.library)
        elif path in SCRIPTS:
            self.script(os.path.join(os.path.dirname(__file__), SCRIPTS[path]))
        elif path == "/components":
            self.page("Components", COMPONENTS)
        elif path == "/posts":
            self.page("Posts", '<a id="first" href="/posts/1">One</a><i data-action-button="/posts/new" data-icon="plus"></i>'
                      '<p style="height: 3000px"></p>')
        elif path == "/posts/new":
            self.page("New post", FORM.format(error=""))
        elif path.startswith("/posts/"):
            self.page(f"Post {path.split('/')[2]}", '<a id="home" href="/">Home</a>')
        elif path == "/old":
            self.redirect("/posts/1")
        elif path == "/away":
            self.redirect("http://elsewhere.example/")
        elif path == "/private":
            if "session=open" in self.headers.get("Cookie", ""):
                self.page("Private", "Welcome")
            else:
                self.page("Sign in first", "", 401)
        elif path == "/slow":
            time.sleep(30)
        elif path == "/plain":
            self.page("Plain", "No library", library=False)
        elif path == "/broken":
            self.page("Broken", "", 500)
        else:
            self.page("Not found", "", 404)

    def demo(self, path):
        """Answers for a page of the demo app. Returns false if it has no such page."""
        if path == "/slow":
            time.sleep(3)
            self.page("Slow", "Three seconds later")
        elif path == "/protected" and "session=open" not in self.headers.get("Cookie", ""):
            self.page("Sign in first", "", 401)
        elif path == "/protected":
            self.page("Protected", "Welcome")
        elif path.startswith("/images/"):
            self.answer(200, b"GIF89a\x01\0\x01\0\0\0\0;", "image/gif")
        elif path in demo.PAGES:
            self.page(*demo.PAGES[path])
        elif path in demo.REDIRECTS:
            self.redirect(demo.REDIRECTS[path])
        else:
            return False
        return True

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        if options.demo and self.path in demo.REDIRECTS:
            cookie = [("Set-Cookie", "session=open; Path=/")] if self.path == "/signin" else []
            return self.answer(303, fields=[("Location", demo.REDIRECTS[self.path]), *cookie])
        if self.path == "/session":
            if json.loads(body).get("password") != "secret":
                return self.answer(401)
            answer = json.dumps({"token": "t0ken"}).encode()
            session = "session=open; Path=/; HttpOnly; SameSite=Lax" if options.strict else "session=open; Path=/"
            cookies = [("Set-Cookie", session), ("Set-Cookie", "safe=1; Path=/; HttpOnly")]
            return self.answer(201, answer, "application/json", cookies)
        if parse_qs(body).get("title"):
            self.redirect("/posts/1", 303)
        else:
            self.page("New post", FORM.format(error="A title is missing"), 422)

    def log_message(self, *arguments):
        pass


arguments = argparse.ArgumentParser()
arguments.add_argument("--port", type=int, default=4567)
arguments.add_argument("--bridge", default="http://localhost:2734/bridge.js")
arguments.add_argument("--library", default=TURBO)
arguments.add_argument("--strict", action="store_true")
arguments.add_argument("--demo", action="store_true")
options = arguments.parse_args()
if not os.path.exists(options.library):
    arguments.error(f"there is no {options.library}: run scripts/install test, or name another with --library.")
with open(options.library, encoding="utf-8") as file:
    options.library_is_module = bool(re.search(r"^(import|export)\b", file.read(), re.M))
server = ThreadingHTTPServer(("127.0.0.1", options.port), App)
server.daemon_threads = True
print(f"Serving http://localhost:{server.server_port}/", flush=True)
server.serve_forever()
