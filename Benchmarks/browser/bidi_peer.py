"""WebDriver BiDi as a bridge: a channel for the page's messages, and calls of a function for the answers.

bidi_peer.py FIREFOX PROFILE URL
"""

import json
import os
import re
import socket
import subprocess
import sys

INSTALL = """(send) => {
  const waiting = []
  globalThis.answered = (message) => waiting.shift()(JSON.parse(message))
  globalThis.exposed = (message) => new Promise((resolve) => { waiting.push(resolve); send(JSON.stringify(message)) })
}"""


class WebSocket:
    """A client for text messages (RFC 6455). It acknowledges at once, as bridged does: Firefox writes a frame's header
    and its payload apart, and would otherwise wait for up to 40 ms in between."""

    def __init__(self, port, path):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.bytes = b""
        self.socket.sendall(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        while b"\r\n\r\n" not in self.bytes:
            self.read()
        self.bytes = self.bytes.split(b"\r\n\r\n", 1)[1]

    def read(self):
        found = self.socket.recv(65_536)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        if not found:
            raise SystemExit("Firefox closed the connection.")
        self.bytes += found

    def take(self, count):
        while len(self.bytes) < count:
            self.read()
        taken, self.bytes = self.bytes[:count], self.bytes[count:]
        return taken

    def receive(self):
        length = self.take(2)[1]
        if length >= 126:
            length = int.from_bytes(self.take(2 if length == 126 else 8), "big")
        return json.loads(self.take(length))

    def send(self, message):
        payload = json.dumps(message).encode()
        length = len(payload)
        if length < 126:
            size = bytes([0x80 | length])
        elif length < 65_536:
            size = bytes([0x80 | 126]) + length.to_bytes(2, "big")
        else:
            size = bytes([0x80 | 127]) + length.to_bytes(8, "big")
        mask = os.urandom(4)
        key = int.from_bytes((mask * (length // 4 + 1))[:length], "big")
        masked = (int.from_bytes(payload, "big") ^ key).to_bytes(length, "big")
        self.socket.sendall(b"\x81" + size + mask + masked)


def listening(browser):
    """The port of Firefox's BiDi socket, which it prints."""
    for line in browser.stderr:
        found = re.search(r"WebDriver BiDi listening on ws://127\.0\.0\.1:(\d+)", line)
        if found:
            return int(found[1])
    raise SystemExit("Firefox ended without printing where its BiDi socket listens.")


def main(firefox, profile, url):
    browser = subprocess.Popen(
        [firefox, "--headless", "--no-remote", "--remote-debugging-port=0", "--profile", profile, "about:blank"],
        stderr=subprocess.PIPE, text=True)
    connection = WebSocket(listening(browser), "/session")
    count = 0

    def send(method, **params):
        nonlocal count
        count += 1
        connection.send({"id": count, "method": method, "params": params})
        return count

    def call(method, **params):
        number = send(method, **params)
        while (answer := connection.receive()).get("id") != number:
            pass
        if "error" in answer:
            raise SystemExit(f"{method}: {answer['message']}")
        return answer["result"]

    call("session.new", capabilities={})
    call("session.subscribe", events=["script.message"])
    window = call("browsingContext.getTree")["contexts"][0]["context"]
    call("script.addPreloadScript", functionDeclaration=INSTALL, arguments=[{"type": "channel", "value": {"channel": "posted"}}])
    call("browsingContext.navigate", context=window, url=url, wait="none")
    while True:
        event = connection.receive()
        if event.get("method") == "script.message":
            send("script.callFunction", functionDeclaration="(message) => answered(message)", awaitPromise=False,
                 target={"realm": event["params"]["source"]["realm"]}, arguments=[event["params"]["data"]])


main(*sys.argv[1:])
