import BridgeServer
import TestSupport
import Testing

/// What the daemon records about a page's Content-Security-Policy.
@MainActor @Suite(.timeLimit(.minutes(4))) struct PolicyTests {
    @Test func recordsPolicyThatForbidsConnection() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let response = try await HTTPClient.request(
                path: "/bridge.js?blocked=connect-src&from=http%3A%2F%2Flocalhost%2Fcart", port: address.port,
                headers: ["Referer: http://localhost/"])
            #expect(response.status == 200)
            let problem = try await recorder.problem("policy")
            #expect(problem.text.contains("http://localhost/cart") && problem.text.contains("connect-src"))
            #expect(problem.hint?.contains("ws://localhost:\(address.port)/") == true)
        }
    }

    @Test func recordsPolicyThatForbidsEval() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            _ = try await HTTPClient.request(
                path: "/bridge.js?blocked=script-src&from=http%3A%2F%2Flocalhost%2Fcart", port: address.port,
                headers: ["Referer: http://localhost/"])
            let problem = try await recorder.problem("policy")
            #expect(problem.text.contains("http://localhost/cart") && problem.text.contains("eval"))
            #expect(problem.hint?.contains("nonce") == true)
        }
    }

    @Test func recordsOnlyWhatTheBrowserConfirms() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let path = "/bridge.js?blocked=script-src&from=Your+disk+is+full"
            #expect(try await HTTPClient.request(path: path, port: address.port).status == 403)
            _ = try await recorder.problem("originMissing")
            _ = try await HTTPClient.request(path: path, port: address.port, headers: ["Referer: http://localhost/a"])
            #expect(try await recorder.problem("policy").text.contains("http://localhost"))
        }
    }
}
