#!/usr/bin/env python3
"""An app's server with what a proxy can get wrong. It prints its port, and ends with its standard input.

`upstream.py CERTIFICATE` serves https with a PEM file.
"""
import base64
import gzip
import hashlib
import json
import ssl
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

PAGE = "<!DOCTYPE html>\n<html lang=\"en\"><head><title>A page</title></head><body>Hello</body></html>"
# "<html>" as brotli leaves it if it does not compress: a block of 6 bytes, and the end (RFC 7932, section 9).
BROTLI = bytes([0x8B, 0x02, 0x80]) + b"<html>" + bytes([0x03])
POLICIES = {
    "nonce": "default-src 'none'; script-src 'nonce-abc123' 'strict-dynamic'; connect-src 'self'",
    "self": "script-src 'self'; connect-src https://api.example.com",
    "inline": "script-src 'unsafe-inline' https://cdn.example.com",
    "none": "default-src 'none'",
    "open": "frame-ancestors 'none'",
}
DOCUMENTS = {
    "upper": "<!DOCTYPE HTML><HTML><HEAD></HEAD></HTML>",
    "old": "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" \"x\"><html xml:lang=\"en\"><head/></html>",
    "bare": "<html><body><header>Not a head</header></body></html>",
    "fragment": "<header>Part of a page</header><turbo-frame id=\"a\"></turbo-frame>",
}
go_on = threading.Event()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path, query = urlsplit(self.path).path, parse_qs(urlsplit(self.path).query)
        if path == "/policy":
            return self.answer(PAGE, fields=[("Content-Security-Policy", POLICIES[query["is"][0]]), ("X-Frame-Options", "DENY")])
        if path == "/document":
            return self.answer(DOCUMENTS[query["is"][0]])
        if path == "/gzip":
            return self.answer(gzip.compress(PAGE.encode()), fields=[("Content-Encoding", "gzip")])
        if path == "/brotli":
            return self.answer(BROTLI, fields=[("Content-Encoding", "br")])
        if path == "/json":
            return self.answer(json.dumps({"html": PAGE}), "application/json")
        if path == "/turbo-stream":
            return self.answer("<turbo-stream><template><html></html></template></turbo-stream>", "text/vnd.turbo-stream.html")
        if path == "/request":
            return self.answer(json.dumps({k.lower(): v for k, v in self.headers.items()}), "application/json")
        if path == "/redirect":
            return self.answer("", status=302, fields=[("Location", query["to"][0].replace("HOST", self.headers["Host"]))])
        if path == "/cookies":
            cookies = ["a=1; Path=/; HttpOnly; SameSite=Strict", "b=2; Secure; SameSite=None; Max-Age=60", "c=3; Path=/x"]
            return self.answer(PAGE, fields=[("Set-Cookie", cookie) for cookie in cookies])
        if path == "/unchanged":
            return self.answer("", status=304, fields=[("ETag", '"1"')])
        if path == "/go":
            go_on.set()
            return self.answer("on")
        if path == "/stream":
            return self.stream()
        if path == "/socket":
            return self.socket()
        return self.answer(PAGE)

    do_HEAD = do_GET

    def do_POST(self):
        left, digest = int(self.headers["Content-Length"]), hashlib.sha256()
        while left > 0:
            part = self.rfile.read(min(left, 1 << 20))
            left -= len(part)
            digest.update(part)
        self.answer(digest.hexdigest(), "text/plain")

    def answer(self, body, kind="text/html; charset=utf-8", status=200, fields=()):
        body = body if isinstance(body, bytes) else body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        for name, value in fields:
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD" and status != 304:
            self.wfile.write(body)

    def stream(self):
        """The second event comes when the client has asked for /go, which it does when it has the first."""
        go_on.clear()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(b"data: first\n\n")
        self.wfile.flush()
        go_on.wait(20)
        self.wfile.write(b"data: second\n\n")
        self.close_connection = True

    def socket(self):
        key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())
        self.end_headers()
        first, size = self.rfile.read(2)
        mask, text = self.rfile.read(4), self.rfile.read(size & 127)
        plain = bytes(byte ^ mask[index % 4] for index, byte in enumerate(text))
        self.wfile.write(bytes([first, len(plain)]) + plain)
        self.close_connection = True

    def log_message(self, *arguments):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
if len(sys.argv) > 1:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1])
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
