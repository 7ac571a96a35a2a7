import BridgeBrowsers
import BridgeProtocol
import BridgeServer
import BridgeTesting
import EmulatedApp
import Foundation
import TestSupport
import Testing

/// Sites that ask for a user name and a password, as staging sites do.
@MainActor @Suite(.serialized, .timeLimit(.minutes(3)), .browserTurns) struct AuthenticationTests {
    /// A site that lets everyone see `/open`, asks by Basic for `/basic` and `/data`, and by Digest for `/digest`.
    private final class Site: Sendable {
        let url: String
        private let socket: ListeningSocket

        init() throws {
            let socket = try ListeningSocket()
            self.socket = socket
            url = "http://127.0.0.1:\(socket.port)"
            socket.accept { connection in
                var head = ""
                while !head.contains("\r\n\r\n"), let more = connection.read() {
                    head += String(decoding: more, as: UTF8.self)
                }
                let path = head.split(separator: " ").dropFirst().first.map(String.init) ?? ""
                let basic = "Authorization: Basic \(Data("me:secret".utf8).base64EncodedString())"
                let asked =
                    path == "/digest" ? #"Digest realm="D", nonce="n", qop="auth""# : #"Basic realm="Staging""#
                let isIn =
                    path == "/open" || path == "/digest" && head.contains(#"Authorization: Digest username="me""#)
                    || head.contains(basic)
                let body = "<!doctype html><title>\(isIn ? "In" : "Refused")</title>"
                let lines =
                    ["HTTP/1.1 \(isIn ? "200 OK" : "401 Unauthorized")", "Content-Type: text/html"]
                    + (isIn ? [] : ["WWW-Authenticate: \(asked)"])
                    + ["Content-Length: \(body.utf8.count)", "Connection: close", "", body]
                connection.write(Array(lines.joined(separator: "\r\n").utf8))
            }
        }
    }

    private func expectToPass(_ steps: String, _ engine: BrowserEngine) async throws {
        try requireDriven(engine)
        let site = try Site()
        let folder = try TemporaryFolder()
        try "name: A\nsteps:\n\(steps)\n".replacing("SITE", with: site.url)
            .write(toFile: folder.path("flow.yml"), atomically: true, encoding: .utf8)
        let outcome = try await Executable.run(
            ["test", folder.path("flow.yml"), "--port", "0", "--in", engine.rawValue, "--trace", "off"])
        #expect(outcome.output.hasSuffix("1 passed.\n") && outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        withExtendedLifetime(site) {}
    }

    private static func stub(_ password: String) -> String {
        "- stub: {handler: window.authentication, reply: {value: {user: me, password: \(password)}}}"
    }

    @Test(arguments: BrowserEngine.allCases.tried, ["/basic", "/digest"])
    func stubLetsThePageIn(_ engine: BrowserEngine, _ path: String) async throws {
        try await expectToPass(
            """
            \(Self.stub("secret"))
            - open: SITE\(path)
            - wait: document.title == "In"
            """, engine)
    }

    @Test(arguments: BrowserEngine.allCases.tried) func stubAnswersForARequestOfAScript(_ engine: BrowserEngine)
        async throws
    {
        try await expectToPass(
            """
            \(Self.stub("secret"))
            - open: SITE/open
            - evaluate: "void fetch('/data').then((response) => { window.status = response.status })"
            - wait: window.status == 200
            """, engine)
    }

    /// On a phone the user answers the app's dialog. Here the answer comes after the refusal, and the screens load again.
    @Test(arguments: BrowserEngine.allCases.tried) func userOfTheApp_typesAPassword(_ engine: BrowserEngine)
        async throws
    {
        try requireDriven(engine)
        let site = try Site()
        try await withBridgedApp(driving: engine) { app in
            let emulated = try #require(app.emulatedApp)
            app.onDialog { _ in .dismiss }
            try await app.open(site.url + "/basic")
            try await app.wait(until: "document.title === 'Refused'")
            #expect(JSONValue.object(emulated.state)["authentication"]?["realm"] == "Staging")
            for (password, title) in [("wrong", "Refused"), ("secret", "In")] {
                try await app.run("window.isFormer = true")
                try emulated.perform("answerAuthentication", ["user": "me", "password": password])
                try await app.wait(until: "!window.isFormer && document.title === '\(title)'")
            }
            #expect(JSONValue.object(emulated.state)["authentication"] == .null)
            #expect(throws: ActionRefusal.self) { try emulated.perform("answerAuthentication", ["user": "me"]) }
        }
        withExtendedLifetime(site) {}
    }

    /// The same answer is not given again and again.
    @Test(arguments: BrowserEngine.allCases.tried) func wrongPasswordIsRefused(_ engine: BrowserEngine) async throws {
        try await expectToPass(
            """
            \(Self.stub("wrong"))
            - open: SITE/basic
            - wait: document.title == "Refused"
            - open: SITE/open
            - evaluate: "void fetch('/data').then((response) => { window.status = response.status })"
            - wait: window.status == 401
            """, engine)
    }
}
