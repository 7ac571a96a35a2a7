"""An app for Android, played in Chromium: interface objects whose native half is this process, by DevTools' `Runtime.addBinding`
(synchronous values are made in the page), and an object like those of `WebMessageListener`. No module of bridged is in it."""
import json
import os
import subprocess
import tempfile

USER_AGENT = (
    "Hotwire Native Android; Turbo Native Android; bridge-components: []; Mozilla/5.0 (Linux; Android 15; Pixel 8 "
    "Build/AP3A.240905.015; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/130.0.0.0 Mobile Safari/537.36")

# Bound functions print as native ones.
OBJECTS = """
(() => {
  const java = window.java
  delete window.java
  const tell = (object, method, ...list) => java(JSON.stringify([object, method, list]))
  const make = (name, methods) => {
    const object = {}
    for (const [key, method] of Object.entries(methods)) object[key] = method.bind(null)
    window[name] = object
  }
  make("TurboSession", {
    turboIsReady(isReady) { tell("TurboSession", "turboIsReady", isReady) },
    visitStarted(...list) { tell("TurboSession", "visitStarted", ...list) }
  })
  make("Device", {
    model(...list) { tell("Device", "model", ...list); return "Pixel 8" },
    fail() { throw new Error("Error invoking fail: Java exception was raised during method invocation") },
    requestToken() { tell("Device", "requestToken") },
    visit(location) { tell("Device", "visit", location) }
  })
  const listeners = []
  make("listener", {
    postMessage(data) { tell("listener", "postMessage", data) },
    addEventListener(type, run) { listeners.push(run) },
    removeEventListener(type, run) { listeners.splice(listeners.indexOf(run), 1) }
  })
  Object.defineProperty(window, "deliver", { value(data) {
    const event = new MessageEvent("message", { data })
    window.listener.onmessage?.(event)
    for (const run of listeners) run(event)
  }})
})()
"""


class App:
    """Chromium with the objects in each document. `got` is what native code got: `[object, method, arguments]`."""

    def __init__(self, program="chromium"):
        self.got, self._last = [], 0
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # Its other processes end later.
        read, self._write = os.pipe()
        self._read, write = os.pipe()
        self._buffer = b""
        # Chromium reads from 3 and writes to 4.
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$0" "$@" 3<&{read} 4>&{write}', program, "--headless=new", "--no-sandbox",
             "--disable-gpu", "--remote-debugging-pipe", f"--user-data-dir={self._profile.name}",
             f"--user-agent={USER_AGENT}", "about:blank"],
            pass_fds=[read, write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(read)
        os.close(write)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = None
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")
        self.call("Runtime.enable")
        self.call("Runtime.addBinding", name="java")
        self.call("Page.addScriptToEvaluateOnNewDocument", source=OBJECTS)

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self._write)
        os.close(self._read)
        self._profile.cleanup()

    def call(self, method, **params):
        id = self._send(method, params)
        while True:
            message = self._receive()
            if message.get("id") == id:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]

    def take_messages(self):
        """Lets native code get what the page has posted. A page that leaves meanwhile does not answer."""
        try:
            self.call("Runtime.evaluate", expression="1")
        except RuntimeError as error:
            if "navigated or closed" not in str(error):
                raise

    def _send(self, method, params):
        self._last += 1
        session = getattr(self, "_session", None)
        message = {"id": self._last, "method": method, "params": params, **({"sessionId": session} if session else {})}
        os.write(self._write, json.dumps(message).encode() + b"\0")
        return self._last

    def _receive(self):
        while b"\0" not in self._buffer:
            data = os.read(self._read, 1 << 16)
            if not data:
                raise RuntimeError("Chromium has ended")
            self._buffer += data
        text, self._buffer = self._buffer.split(b"\0", 1)
        message = json.loads(text)
        if message.get("method") == "Runtime.bindingCalled":
            self._take(json.loads(message["params"]["payload"]))
        return message

    def _take(self, call):
        self.got.append(call)
        name, method, arguments = call
        if method == "requestToken":
            self._run('window.bridge.register("c0ffee")')
        elif method == "visit":
            self._run(f"window.turboNative.visit({json.dumps(arguments[0])}); document.dispatchEvent(new Event('visited'))")
        elif name == "listener":
            self._run(f"deliver({json.dumps('echo ' + arguments[0])})")

    def _run(self, script):
        """As `evaluateJavascript` does: nobody waits for it."""
        self._send("Runtime.evaluate", {"expression": script})

    def open(self, url):
        """Opens a page, and returns what it saw when it is done."""
        self.got.clear()
        self.call("Page.navigate", url=url)
        while self.call("Runtime.evaluate", expression="window.isDone === true")["result"].get("value") is not True:
            pass
        return json.loads(self.call("Runtime.evaluate", expression="document.title")["result"]["value"])
