"""What bridge.js observes in a page of a driven WebKit, whose driver knows the truth: the two must have the same records of all
that docs/notes/devices.md promises. (Driven pages refuse the tag, so another script answers in their place when it asks.)"""
import contextlib, json, os, pathlib, re, shutil, socket, subprocess, sys, tempfile, unittest

from device_test import ROOT, Site, bridged

WEBKIT = pathlib.Path(os.environ["BRIDGED"]).parent / "bridged-webkit"
LIBRARIES = ROOT / ".third-party"

SETTINGS = """
stubs:
  - {handler: camera, match: {name: take}, reply: {value: {photo: cat.jpg, size: [640, 480]}}, delay: 200ms}
  - {handler: camera, match: {name: fail}, reply: {error: The user has no camera.}}
  - {handler: echo, reply: {echo: true}}
messages:
  Share: {schema: {required: [url], properties: {url: {type: string}}}, reply: {call: window.myApp.shared}}
  Ask: {handler: device, schema: {required: [lens]}, reply: {value: snapshot.jpg}}
observe: [myApp.native, greet]
"""
# What native code calls in the page: of frameworks, and what SETTINGS name.
CALLS = re.compile(
    r"(window\.)?(nativeBridge\.(register|unregister|replyWith)|turboNative\.\w+|bridge\.\w+|myApp\.\w+(\.\w+)?|greet)\(")


class Log:
    """What the log has of one document."""

    def __init__(self, records, page, functions=None):
        records = [record for record in records if record.get("page") == page]
        self.of = lambda kind: [record for record in records if record["kind"] == kind]
        self.messages = [record for record in self.of("message")]
        numbers = {record["seq"]: index for index, record in enumerate(self.messages)}
        # A handler that does not reply has no result; its promise is fulfilled with undefined.
        self.replies = [
            (numbers.get(record["seq"]), record["handler"], record.get("error", {}).get("message"), *self.reply(record))
            for record in self.of("reply") if record.get("types") != {"": "undefined"}]
        self.durations = [record["durationMs"] for record in self.of("reply") if record.get("types") != {"": "undefined"}]
        calls = [record for record in records if record["kind"] in ("evaluate", "callAsync")]
        sources = [(functions or {}).get(call.get("body"), call.get("source")) for call in calls]
        self.calls = ["window." + source.removeprefix("window.") for source in sources if source and CALLS.match(source)]
        # WebKitGTK does not tell its driver of the console.
        self.console = [
            (record["level"], record["entry"], record["text"].split("\n")[0], record.get("line")) for record in self.of("console")]
        states = [(record["url"], record.get("title"), record.get("readyState")) for record in self.of("page")]
        self.states = [state for index, state in enumerate(states) if index == 0 or states[index - 1] != state]

    @staticmethod
    def value(record, key):
        return json.dumps(record.get(key), sort_keys=True), json.dumps(record.get("types"), sort_keys=True)

    @classmethod
    def reply(cls, record):
        """A reply's value, its types and how many references it has. As in WebKit, its keys have no order, so that any place of
        an object that is there twice may be the reference to the other: both have the object here."""
        value, types = json.loads(json.dumps(record.get("value"))), record.get("types") or {}
        references = [path for path, type in types.items() if type == "ref"]
        for path in references:
            parent, last = cls.place(value, path)
            other, name = cls.place(value, parent[last])
            parent[last] = other[name]
        others = {path: type for path, type in types.items() if type != "ref"}
        return json.dumps(value, sort_keys=True), json.dumps(others, sort_keys=True), len(references)

    @staticmethod
    def place(value, path):
        """What has the value at a JSON pointer, and its key there."""
        *outer, last = [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]
        for part in outer:
            value = value[int(part) if isinstance(value, list) else part]
        return value, int(last) if isinstance(value, list) else last

    def bodies(self, first):
        return [(record["handler"], record.get("name"), *self.value(record, "body")) for record in self.messages[first:]]


@unittest.skipIf(not WEBKIT.exists(), f"{WEBKIT} is missing")
class Driven(unittest.TestCase):
    maxDiff = 5000

    def setUp(self):
        self.site = Site()
        self.addCleanup(self.site.close)
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        self.settings = pathlib.Path(folder, "bridged.yml")
        self.settings.write_text(SETTINGS)

    def allow_tag(self, app):
        """Lets bridge.js start, which an event tells that the page is driven. Returns the URLs of the scripts."""
        self.site.scripts["/allow.js"] = (
            "window.dispatchEvent = (event) => event.type === 'bridged:start' && delete window.dispatchEvent")
        scripts = [self.site.url.replace("/page", "/allow.js"), f"{app.url}bridge.js"]
        self.site.tag = "".join(f'<script src="{script}"></script>' for script in scripts)
        return scripts

    def logs(self, app, functions=None):
        """The driver's log of each document, and that of the observer."""
        records = app.traffic()
        attached = [record for record in records if record["kind"] == "page" and record["event"] == "attached"]
        driven = [record["page"] for record in attached if record["webView"] in ("main", "modal")]
        observed = [record["page"] for record in attached if record.get("device")]
        self.assertEqual(len(driven), len(observed), attached)
        return [(Log(records, one, functions), Log(records, other)) for one, other in zip(driven, observed)]

    def compare(self, truth, observed, before):
        """`before` is the number of messages before the tag."""
        self.assertEqual(observed.bodies(0), truth.bodies(before))
        # The driver has no reply to a message that was dropped; the page's promise is rejected.
        dropped = {index - before for index, record in enumerate(truth.messages) if record["verdict"]["outcome"] == "dropped"}
        replies = [(index - before, *rest) for index, *rest in truth.replies if index >= before]
        self.assertEqual([reply for reply in observed.replies if reply[0] not in dropped or reply in replies], replies)
        self.assertLessEqual({reply[0] for reply in observed.replies if reply not in replies}, dropped)
        self.assertEqual(observed.calls, truth.calls)
        for mine, drivers in zip(observed.durations, truth.durations[len(truth.replies) - len(observed.replies):]):
            self.assertGreater(mine, drivers - 20)  # The page waits for the way there and back.
            self.assertLess(mine, drivers + 2000)

    def test_the_observer_has_what_the_driver_has(self):
        with bridged.start(config=str(self.settings), push_token="c0ffee") as app:
            self.allow_tag(app)
            app.open(self.site.url.replace("/page", "/driven"), browser="webkit")
            app.next_message("Done", timeout=60, webView="device")
            app.evaluate('bridge.register("by hand")')
            app.evaluate('window.greet("you",{"a":[1,null]})')
            app.evaluate("document.title")
            app.call_async("myApp.native.receive(x); return 1", {"x": {"y": 1}})
            app.next_message(filter="kind:evaluate web-view:device receive")
            ((truth, observed),) = self.logs(app, {"myApp.native.receive(x); return 1": 'myApp.native.receive({"y":1})'})
        first = [record.get("name") for record in truth.messages].index("First")
        self.compare(truth, observed, first)
        self.assertGreater(len(observed.messages), 170)
        line = self.site.source("driven.html", self.site.tag).split('"uncaught"')[0].count("\n") + 1
        self.assertEqual(observed.console, [
            ("log", "console", "a text {x: [1]}", None), ("info", "console", "1 null undefined", None),
            ("warn", "console", "careful", None), ("error", "console", "RangeError: too much", None),
            ("debug", "console", "[]", None), ("error", "rejection", "TypeError: unhandled", None),
            ("error", "exception", "Error: uncaught", line)])
        self.assertEqual(observed.states[-1], truth.states[-1])
        self.assertEqual(observed.states, truth.states)
        self.assertEqual(len(observed.states), 4)
        # The driver's own verdicts are what the observer says would happen here.
        dropped = [(record["verdict"].get("reason"), record["body"]) for record in truth.messages[first:]]
        here = [(record.get("here", {}).get("reason"), record["body"]) for record in observed.messages]
        self.assertEqual([pair for pair in zip(here, dropped) if pair[0] != pair[1]], [])
        self.assertEqual({reason for reason, _ in dropped}, {None, "unknownName", "schemaMismatch", "noStubFits"})

    @unittest.skipIf(not LIBRARIES.joinpath("turbo8.js").exists(), "turbo8.js is missing: scripts/install test")
    def test_the_observer_has_turbos_visits_and_the_components(self):
        with bridged.start(config=str(self.settings)) as app, contextlib.ExitStack() as stack:
            scripts = self.allow_tag(app)
            with socket.create_server(("127.0.0.1", 0)) as free:
                port = free.getsockname()[1]
            server = subprocess.Popen(
                [sys.executable, str(ROOT / "Tests/TurboApp/app.py"), f"--port={port}", f"--turbo={LIBRARIES}/turbo8.js",
                 f"--stimulus={LIBRARIES}/stimulus.js", f"--bridge-library={LIBRARIES}/hotwire-native-bridge.js",
                 '--script={}"></script><script src="{}'.format(*scripts)], stdout=subprocess.PIPE)
            stack.callback(server.stdout.close)
            stack.callback(server.wait)
            stack.callback(server.kill)
            server.stdout.readline()
            app.open(f"http://localhost:{port}/", browser="webkit")
            app.tap("#items")
            app.expect_app(title="Item 1")
            app.perform("back")
            app.expect_app(title="Home")
            app.perform("visit", url="/components")
            app.expect_app(title="Components")
            app.next_message(filter="kind:evaluate web-view:device nativeBridge.register")
            logs = self.logs(app)
        for truth, observed in logs:
            before = len(truth.messages) - len(observed.messages)
            self.compare(truth, observed, before)
        calls = [call.split("(")[0] for _, observed in logs for call in observed.calls]
        self.assertIn("window.turboNative.visitLocationWithOptionsAndRestorationIdentifier", calls)
        self.assertIn("window.nativeBridge.register", calls)


if __name__ == "__main__":
    unittest.main()
