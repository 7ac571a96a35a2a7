#!/usr/bin/env python3
"""A web app as Rails serves it: an import map, modules, Turbo 8, Stimulus and bridge components. For the tests.

    Tests/TurboApp/app.py --port 4567 --turbo FILE [--stimulus FILE --bridge-library FILE] [--script URL]

`--turbo` is a module or a classic script; the other two are modules. `--script` is the URL of the daemon's bridge.js, for
browsers that are not driven. `/log` has the method and the path of each request since the last look.
"""
import argparse
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

PAGE = """<!doctype html>
<html><head>{script}
<meta charset="utf-8"><title>{title}</title>{head}
<script type="importmap">{imports}</script>
{turbo}
</head><body><h1>{title}</h1>{body}</body></html>"""

APPLICATION = """
import "@hotwired/turbo-rails"
window.events = []
for (const name of ["visit", "before-render", "render", "load", "submit-end"]) {
  addEventListener(`turbo:${name}`, ({ detail }) => events.push(`${name}${detail?.renderMethod ? " " + detail.renderMethod : ""}`))
}
"""

COMPONENTS = """
import "@hotwired/turbo-rails"
import { Application } from "@hotwired/stimulus"
import { BridgeComponent } from "@hotwired/hotwire-native-bridge"

const application = Application.start()
application.register("bridge--button", class extends BridgeComponent {
  static component = "button"
  connect() {
    super.connect()
    this.send("connect", { title: this.bridgeElement.title }, () => { document.title = "Tapped" })
  }
})
application.register("bridge--form", class extends BridgeComponent {
  static component = "form"
  connect() {
    super.connect()
    this.send("connect", { submitTitle: "Save" }, () => this.element.requestSubmit())
  }
})
"""

HOME = """
<a id="items" href="/items/1">Item</a> <a id="hovered" href="/hovered">Hovered</a> <a id="touched" href="/touched">Touched</a>
<a id="morph" href="/morph">Morph</a> <a id="form" href="/items/new">New</a> <a id="frames" href="/list">List</a>
<a id="tracked" href="/tracked">Tracked</a> <a id="control" href="/control">Control</a> <a id="broken" href="/broken">Broken</a>
<a id="transition" href="/transition">Transition</a> <a id="anchor" href="#end">End</a>
<div id="player" data-turbo-permanent>silent</div>
<p style="height: 3000px"></p><p id="end">The end</p>
"""

FORM = """<p id="error">{error}</p><form method="post" action="/items"><input name="title" id="title">
<button id="save">Save</button></form>
<form method="post" action="/refused"><button id="refused">Refused</button></form>
<form method="post" action="/failing"><button id="failing">Failing</button></form>
<form method="post" action="/failing-html"><button id="failing-html">Failing with a page</button></form>
<form method="post" action="/stream"><button id="stream">Stream</button></form><p id="target">old</p>"""

MORPH_HEAD = '<meta name="turbo-refresh-method" content="morph"><meta name="turbo-refresh-scroll" content="preserve">'
TRANSITION_HEAD = '<meta name="view-transition" content="same-origin">'


class App(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    log = []
    count = 0

    def page(self, title, body="", head="", status=200, turbo='<script type="module" src="/application.js"></script>'):
        imports = {"@hotwired/turbo-rails": "/turbo.js", "@hotwired/stimulus": "/stimulus.js",
                   "@hotwired/hotwire-native-bridge": "/bridge-library.js"}
        script = f'<script src="{options.script}"></script>' if options.script else ""
        html = PAGE.format(title=title, body=body, head=head, imports=json.dumps({"imports": imports}), turbo=turbo,
                           script=script)
        self.answer(status, html, "text/html; charset=utf-8")

    def answer(self, status, body="", kind="text/plain; charset=utf-8", fields=()):
        data = body.encode()
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(data)

    def file(self, path):
        with open(path, encoding="utf-8") as file:
            self.answer(200, file.read(), "text/javascript")

    def do_GET(self):
        address = urlsplit(self.path)
        path, query = address.path, parse_qs(address.query)
        if path == "/log":
            text = "\n".join(App.log)
            App.log.clear()
            return self.answer(200, text)
        App.log.append(f"GET {self.path}")
        scripts = {"/turbo.js": options.turbo, "/stimulus.js": options.stimulus, "/bridge-library.js": options.bridge_library}
        if path in scripts:
            self.file(scripts[path])
        elif path == "/application.js":
            self.answer(200, APPLICATION, "text/javascript")
        elif path == "/components.js":
            self.answer(200, COMPONENTS, "text/javascript")
        elif path == "/":
            self.page("Home", HOME, TRANSITION_HEAD)
        elif path == "/transition":
            self.page("Transition", '<div id="player" data-turbo-permanent>silent</div>', TRANSITION_HEAD)
        elif path == "/items/new":
            self.page("New item", FORM.format(error=""))
        elif path.startswith("/items/"):
            self.page(f"Item {path.split('/')[2]}", '<div id="player" data-turbo-permanent>silent</div>')
        elif path == "/morph":
            App.count += 1
            self.page("Morph", f'<p id="count">{App.count}</p><p id="kept">kept</p><a id="same" href="/morph" data-turbo-action="replace">Same</a>'
                      '<p style="height: 3000px"></p>', MORPH_HEAD)
        elif path == "/list":
            number = int(query.get("page", ["1"])[0])
            self.page(f"List {number}", f'<turbo-frame id="rows" data-turbo-action="advance"><p id="row">row {number}</p>'
                      f'<a id="next" href="/list?page={number + 1}">Next</a></turbo-frame>'
                      '<turbo-frame id="inner"><a id="inside" href="/inside">Inside</a></turbo-frame>')
        elif path == "/inside":
            self.page("Inside", '<turbo-frame id="inner"><p id="came">came</p></turbo-frame>')
        elif path == "/tracked":
            self.page("Tracked", head='<link rel="stylesheet" href="/only.css" data-turbo-track="reload">')
        elif path == "/control":
            self.page("Control", head='<meta name="turbo-visit-control" content="reload">')
        elif path == "/only.css":
            self.answer(200, "h1 { color: red }", "text/css")
        elif path == "/broken":
            self.page("Broken", "<p>The database is away</p>", status=500)
        elif path == "/late":
            self.page("Late", turbo='<script>addEventListener("load", () => setTimeout(() => import("/turbo.js"), 500))</script>')
        elif path == "/without":
            self.page("Without", turbo="")
        elif path == "/early":
            self.page("Early", turbo='<script type="module">import "@hotwired/turbo-rails"; Turbo.visit("/items/2")</script>')
        elif path == "/components":
            self.page("Components", '<div id="edit" data-controller="bridge--button" data-bridge-title="Edit">Edit</div>',
                      turbo='<script type="module" src="/components.js"></script>')
        elif path == "/components/new":
            self.page("New component", '<form method="post" action="/items" data-controller="bridge--form"><input name="title" value="New"></form>',
                      turbo='<script type="module" src="/components.js"></script>')
        else:
            self.page("Not found", status=404)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        App.log.append(f"POST {self.path}")
        if self.path == "/items" and parse_qs(body).get("title"):
            self.answer(303, fields=[("Location", "/items/1")])
        elif self.path == "/items":
            self.page("New item", FORM.format(error="A title is missing"), status=422)
        elif self.path == "/refused":
            self.page("New item", FORM.format(error="nobody sees this"))
        elif self.path == "/failing":
            self.answer(502, "Bad gateway")
        elif self.path == "/failing-html":
            self.page("Sorry", "<p id=sorry>We are sorry</p>", status=500)
        elif self.path == "/stream":
            self.answer(200, '<turbo-stream action="replace" target="target"><template><p id="target">new</p></template>'
                        "</turbo-stream>", "text/vnd.turbo-stream.html")

    def log_message(self, *arguments):
        pass


arguments = argparse.ArgumentParser()
arguments.add_argument("--port", type=int, required=True)
arguments.add_argument("--turbo", required=True)
arguments.add_argument("--stimulus")
arguments.add_argument("--bridge-library")
arguments.add_argument("--script")
options = arguments.parse_args()
server = ThreadingHTTPServer(("127.0.0.1", options.port), App)
server.daemon_threads = True
print(f"Serving http://localhost:{server.server_port}/", flush=True)
server.serve_forever()
