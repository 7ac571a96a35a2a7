#!/usr/bin/env python3
"""What a browser gets through the proxy: `checks.py PROXY-PORT APP-PORT`."""
import base64
import gzip
import hashlib
import http.client
import json
import os
import re
import socket
import sys
import unittest

PORT, APP = int(sys.argv[1]), int(sys.argv[2])
TAG = re.compile(r'<script src="/__bridged__/bridge\.js" nonce="([^"]+)" referrerpolicy="origin" data-proxy></script>')


def request(path, method="GET", body=None, headers=None):
    connection = http.client.HTTPConnection("localhost", PORT, timeout=60)
    connection.request(method, path, body, headers or {})
    response = connection.getresponse()
    return response, response.read()


class Documents(unittest.TestCase):
    def test_script_comes_first(self):
        _, body = request("/")
        self.assertRegex(body.decode(), r'^<!doctype html><script src="/__bridged__/bridge\.js"')
        self.assertIn('<html lang="en"><head><title>', body.decode())

    def test_each_kind_of_document_gets_it(self):
        for kind in ["upper", "old", "bare"]:
            _, body = request(f"/document?is={kind}")
            self.assertRegex(body.decode(), TAG, kind)
            self.assertLess(TAG.search(body.decode()).start(), re.search("<html", body.decode(), re.I).start(), kind)

    def test_other_answers_stay(self):
        for path, text in [("/document?is=fragment", "<header>Part"), ("/json", '{"html"'), ("/turbo-stream", "<turbo-stream>")]:
            _, body = request(path)
            self.assertTrue(body.decode().startswith(text), body)
            self.assertNotRegex(body.decode(), TAG)

    def test_compressed_document_stays(self):
        response, body = request("/gzip")
        self.assertEqual(response.getheader("Content-Encoding"), "gzip")
        self.assertNotRegex(gzip.decompress(body).decode(), TAG)

    def test_brotli_stays(self):
        response, body = request("/brotli", headers={"Accept-Encoding": "br, gzip"})
        self.assertEqual(response.getheader("Content-Encoding"), "br")
        self.assertEqual(body, bytes([0x8B, 0x02, 0x80]) + b"<html>" + bytes([0x03]))

    def test_head_and_304(self):
        response, body = request("/", "HEAD")
        self.assertEqual((response.status, body), (200, b""))
        self.assertEqual(request("/unchanged")[0].status, 304)


class Policies(unittest.TestCase):
    def policy(self, kind):
        response, body = request(f"/policy?is={kind}")
        self.assertEqual(response.getheader("X-Frame-Options"), "DENY")
        return response.getheader("Content-Security-Policy"), TAG.search(body.decode())[1]

    def test_nonce_is_taken(self):
        policy, nonce = self.policy("nonce")
        self.assertEqual(nonce, "abc123")
        self.assertEqual(policy, "default-src 'none'; script-src 'nonce-abc123' 'strict-dynamic'; connect-src 'self'")

    def test_policy_without_nonce_gets_one(self):
        policy, nonce = self.policy("self")
        self.assertEqual(policy, f"script-src 'nonce-{nonce}' 'self'; connect-src 'self' https://api.example.com")
        self.assertNotEqual(nonce, self.policy("self")[1])

    def test_unsafe_inline_stays_in_force(self):
        self.assertEqual(self.policy("inline")[0], "script-src 'self' 'unsafe-inline' https://cdn.example.com")

    def test_default_is_kept_for_the_rest(self):
        policy, nonce = self.policy("none")
        self.assertEqual(policy, f"default-src 'none'; script-src 'nonce-{nonce}' 'none'; connect-src 'self' 'none'")

    def test_other_directives_stay(self):
        self.assertEqual(self.policy("open")[0], "frame-ancestors 'none'")


class Requests(unittest.TestCase):
    def test_app_sees_the_address_of_the_browser(self):
        _, body = request("/request", headers={"Origin": f"http://localhost:{PORT}", "User-Agent": "Mozilla/5.0"})
        fields = json.loads(body)
        self.assertEqual(fields["host"], f"localhost:{PORT}")
        self.assertEqual(fields["origin"], f"http://localhost:{PORT}")
        self.assertEqual(fields["user-agent"], 'Mozilla/5.0 Hotwire "Native" $iOS; a\\b')

    def test_redirects_stay_in_the_proxy(self):
        for to, expected in [("/x", "/x"), ("http://HOST/x", f"http://localhost:{PORT}/x"), ("https://example.com/x",) * 2]:
            self.assertEqual(request(f"/redirect?to={to}")[0].getheader("Location"), expected)

    def test_cookies_keep_their_attributes(self):
        response, _ = request("/cookies")
        self.assertEqual(
            response.headers.get_all("Set-Cookie"),
            ["a=1; Path=/; HttpOnly; SameSite=Strict", "b=2; Secure; SameSite=None; Max-Age=60", "c=3; Path=/x"])

    def test_stream_comes_as_it_is_sent(self):
        connection = http.client.HTTPConnection("localhost", PORT, timeout=30)
        connection.request("GET", "/stream")
        response = connection.getresponse()
        self.assertEqual(response.read(13), b"data: first\n\n")
        request("/go")
        self.assertEqual(response.read(), b"data: second\n\n")

    def test_upload_of_100_megabytes(self):
        body = os.urandom(1 << 20) * 100
        self.assertEqual(request("/", "POST", body)[1].decode(), hashlib.sha256(body).hexdigest())

    def test_socket(self):
        with socket.create_connection(("localhost", PORT), 30) as client:
            key = base64.b64encode(os.urandom(16)).decode()
            client.sendall(
                f"GET /socket HTTP/1.1\r\nHost: localhost:{PORT}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n".encode())
            head = client.recv(4096)
            self.assertTrue(head.startswith(b"HTTP/1.1 101"), head)
            client.sendall(bytes([0x81, 0x82, 0, 0, 0, 0]) + b"hi")
            self.assertEqual(client.recv(16)[-2:], b"hi")

    def test_control_channel_is_not_there(self):
        for path in ["/__bridged__/control", "/__bridged__/rpc", "/__bridged__/traffic"]:
            self.assertIn(b"A page", request(path)[1], "The app answers, not the daemon.")


unittest.main(argv=["checks"])
