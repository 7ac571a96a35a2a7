#!/usr/bin/env python3
"""The web half of a small hybrid app: posts, a form, a sign-in. Only the first script tag is specific to bridged.

    Examples/TurboApp/app.py --library .third-party/turbo.js

`--port` defaults to 4567. `--bridge` is the URL of the daemon's bridge.js. `--library` is a file with Turbo or Turbolinks.
"""
import argparse
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

PAGE = """<!doctype html>
<html><head>
<script src="{bridge}"></script>
<meta charset="utf-8"><title>{title}</title>
{library}
<script>
addEventListener("error", (event) => event.preventDefault())
window.bridge = {{ register: (token) => {{ window.token = token }} }}
const post = (body) => window.webkit
  ? webkit.messageHandlers.nativeApp?.postMessage(body) // iOS
  : window.nativeApp?.postMessage(JSON.stringify(body)) // Android
for (const event of ["turbo:load", "turbolinks:load"]) document.addEventListener(event, () => {{
  const button = document.querySelector("[data-action-button]")
  if (button) post({{ name: "ActionButton", path: button.dataset.actionButton, icon: button.dataset.icon }})
}})
</script>
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
<a id="twice" href="/posts/2" onclick="(window.Turbo ?? Turbolinks.controller).visit('/posts/2')">Twice</a>
<button id="push" onclick="post({ name: 'RegisterPushToken' })">Notifications</button>
<p style="height: 3000px"></p><p id="end">The end</p>
"""

FORM = """<form method="post" action="/posts"><p>{error}</p>
<input name="title" id="title"><button id="save">Save</button></form>"""

COMPONENTS = """<p id="said">nothing yet</p><button id="sort">Sort</button><button id="where">Where?</button>
<script>LIBRARY</script>
<script>{
  const { send, announce } = window.components
  announce("HotwireNative")
  const say = (text) => { document.getElementById("said").textContent = text }
  send("form", "connect", { submitTitle: "Save" }, () => {
    say("saved")
    send("toast", "show", { message: "Saved" })
  })
  const items = ["by date", "by name"].map((title, index) => ({ title, index }))
  document.getElementById("sort").onclick = () =>
    send("menu", "display", { title: "Sort", items }, ({ data }) => say(items[data.selectedIndex].title))
  document.getElementById("where").onclick = () =>
    send("location", "get", {}, ({ data }) => say(`at ${data.latitude}, ${data.longitude}`))
}</script>"""


class App(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def page(self, title, body, status=200, library=True):
        html = PAGE.format(
            title=title, body=body, bridge=options.bridge,
            library='<script src="/library.js"></script>' if library else "")
        self.answer(status, html.encode(), "text/html; charset=utf-8")

    def answer(self, status, body=b"", kind="text/plain", fields=()):
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def redirect(self, location, status=302):
        self.answer(status, fields=[("Location", location)])

    def do_GET(self):
        path = urlsplit(self.path).path
        if path == "/":
            self.page("Home", HOME)
        elif path == "/library.js":
            with open(options.library, "rb") as file:
                self.answer(200, file.read(), "text/javascript")
        elif path == "/components":
            with open(os.path.join(os.path.dirname(__file__), "components.js")) as file:
                self.page("Components", COMPONENTS.replace("LIBRARY", file.read()))
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

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        if self.path == "/session":
            if json.loads(body).get("password") != "secret":
                return self.answer(401)
            answer = json.dumps({"token": "t0ken"}).encode()
            cookies = [("Set-Cookie", "session=open; Path=/"), ("Set-Cookie", "safe=1; Path=/; HttpOnly")]
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
arguments.add_argument("--library", default=".third-party/turbo.js")
options = arguments.parse_args()
server = ThreadingHTTPServer(("127.0.0.1", options.port), App)
server.daemon_threads = True
print(f"Serving http://localhost:{server.server_port}/", flush=True)
server.serve_forever()
