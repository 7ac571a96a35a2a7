import BridgeProtocol
import TestSupport
import Testing

@testable import BridgeServer

/// Calls that the daemon refuses.
extension InterfaceTests {
    /// Every request gets an answer that says why it failed, and the daemon goes on serving.
    @Test func refusesHostileCalls() async throws {
        try await withDevice { server, address, recorder in
            let deep = String(repeating: "[", count: 100_000)
            for body in ["", "{", "{}", "[]", deep, #"{"attach":{},"messages":[]}"#, "\u{0}"] {
                let response = try await HTTPClient.request(
                    "POST", path: "/call", port: address.port, headers: Self.json, body: body)
                #expect(response.status == 400 && response.body.contains("error"))
            }
            for message in [
                "1", #"{"jsonrpc":"2.0","method":"page.attach"}"#,
                #"{"jsonrpc":"2.0","id":1,"method":"interface.call","params":{"seq":1,"handler":"Device"}}"#,
                #"{"jsonrpc":"2.0","id":1,"method":"interface.call","params":{"seq":1,"handler":"Device","method":"model","body":{}}}"#,
            ] {
                let response = try await post([message], address)
                #expect(response.status == 400)
            }
            _ = try await recorder.problem("badCall")
            let huge = try await HTTPClient.request(
                "POST", path: "/call", port: address.port, headers: Self.json + ["Content-Length: 999999999"])
            #expect(huge.status == 413)
            let answer = try await call("model", "[]", address)
            #expect(answer["result"]?["value"]?.string == "Pixel 9")
        }
    }

    @Test func acceptsOnlyAllowedOrigins() async throws {
        try await withDevice { _, address, _ in
            let json = "Content-Type: application/json"
            for (headers, expected) in [
                (["Origin: http://evil.example", json], 403), ([json], 403),
                (["Origin: http://localhost", "Content-Type: text/plain"], 415),
                (["Origin: http://localhost", json], 204),
            ] {
                let response = try await post([PageClient.post("1", seq: 1)], headers: headers, address)
                #expect(response.status == expected)
            }
            let allowed = try await HTTPClient.request(
                "OPTIONS", path: "/call", port: address.port,
                headers: ["Origin: http://app.localhost", "Access-Control-Request-Method: POST"])
            #expect(allowed.status == 204 && allowed.fields["access-control-allow-origin"] == "http://app.localhost")
            let refused = try await HTTPClient.request(
                "OPTIONS", path: "/call", port: address.port, headers: ["Origin: http://evil.example"])
            #expect(refused.status == 403 && refused.fields["access-control-allow-origin"] == nil)
        }
    }

    @Test func requiresPageToken_whenListeningBeyondLoopback() async throws {
        try await withServer {
            $0.addresses = ["0.0.0.0"]
        } _: { _, address in
            let response = try await post([], address)
            #expect(response.status == 401)
        }
    }
}
