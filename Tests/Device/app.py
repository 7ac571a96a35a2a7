"""A small app with a real web view (WebKitGTK), which has no part of bridged in it: a form component, a camera that replies
after a second, a push token, and errors. It opens a URL, and prints what its native code gets, one JSON value a line.

    /usr/bin/python3 app.py URL

It ends when the page posts to `done`, or after a minute.
"""
import json
import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("WebKit2", "4.1")
from gi.repository import GLib, Gtk, WebKit2  # noqa: E402

# The adapter of a framework: a user script that is there before any script of the page.
ADAPTER = """
(() => {
  class Adapter {
    #components = []
    get supportedComponents() { return [...this.#components] }
    register(names) { this.#components.push(...names) }
    receive(message) { webkit.messageHandlers.bridge.postMessage(message) }
    replyWith(message) { document.dispatchEvent(new CustomEvent("component-reply", { detail: message })) }
  }
  window.nativeBridge = new Adapter()
  webkit.messageHandlers.bridge.postMessage("ready")
})()
"""

# WebKitGTK takes no semicolons and brackets outside of comments.
USER_AGENT = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 "
    "(Hotwire Native iOS; Turbo Native iOS; bridge-components: [form])")


class App:
    def __init__(self, url):
        self.manager = WebKit2.UserContentManager()
        for name in ["bridge", "nativeApp", "turbo", "trace", "done"]:
            self.manager.register_script_message_handler(name)
            self.manager.connect(f"script-message-received::{name}", self.received, name)
        self.manager.register_script_message_handler_with_reply("camera", None)
        self.manager.connect("script-message-with-reply-received::camera", self.camera)
        self.manager.add_script(WebKit2.UserScript(
            ADAPTER, WebKit2.UserContentInjectedFrames.TOP_FRAME, WebKit2.UserScriptInjectionTime.START, None, None))
        self.view = WebKit2.WebView(user_content_manager=self.manager)
        self.view.get_settings().set_user_agent(USER_AGENT)
        self.view.connect("notify::title", self.titled)
        window = Gtk.Window()
        window.add(self.view)
        window.show_all()
        self.view.load_uri(url)

    def note(self, handler, body):
        print(json.dumps([handler, body]), flush=True)

    def received(self, _manager, result, name):
        body = json.loads(result.get_js_value().to_json(0) or "null")
        self.note(name, body)
        if name == "done":
            Gtk.main_quit()
        elif name == "bridge" and body == "ready":
            self.run('window.nativeBridge.register(["form"])')
        elif name == "bridge" and body.get("event") == "connect":
            reply = {**body, "event": "submitDisabled", "data": {"title": body["data"]["submitTitle"]}}
            self.run(f"window.nativeBridge.replyWith({json.dumps(reply)})")
        elif name == "nativeApp" and body.get("name") == "RegisterPushToken":
            self.run('window.bridge.register("c0ffee")')
        elif name == "nativeApp" and body.get("name") == "CallLater":
            body = "window.bridge.sayHello(name); await null; return 1"
            arguments = GLib.Variant("a{sv}", {"name": GLib.Variant("s", "you")})
            self.view.call_async_javascript_function(body, -1, arguments, None, None, None, None, None)

    def titled(self, view, _property):
        if view.get_title() == "done":
            self.note("title", "done")
            Gtk.main_quit()

    def run(self, script):
        self.view.evaluate_javascript(script, -1, None, None, None, None, None)

    def camera(self, _manager, value, reply):
        body = json.loads(value.to_json(0))
        self.note("camera", body)

        def answer():
            if body.get("name") == "fail":
                reply.return_error_message("The user has no camera.")
            else:
                context = value.get_context()
                reply.return_value(context.evaluate('({ photo: "cat.jpg", size: [640, 480] })', -1))
            return False

        GLib.timeout_add(body.get("delay", 1000), answer)
        return True


App(sys.argv[1])
GLib.timeout_add_seconds(int(sys.argv[2]) if len(sys.argv) > 2 else 60, Gtk.main_quit)
Gtk.main()
