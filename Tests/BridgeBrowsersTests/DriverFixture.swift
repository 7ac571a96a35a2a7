import BridgeProtocol
import BridgeServer
import BridgeTraffic
import TestSupport
import Testing

@testable import BridgeBrowsers

/// A daemon within the test, and web views that stand for windows of a browser that does not exist.
@MainActor final class DriverFixture {
    let server: BridgeServer
    let recorder: Recorder
    let port: UInt16
    private(set) var reports: [String] = []

    init(_ server: BridgeServer, port: UInt16) {
        self.server = server
        self.port = port
        recorder = Recorder(server)
    }

    func webView(
        _ engine: BrowserEngine = .chromium, limits: DriverLimits = DriverLimits(), throughPort other: UInt16? = nil
    ) async throws -> DrivenWebView {
        let link = DaemonLink(host: "127.0.0.1", port: Int(other ?? port), token: server.token)
        let webView = try await DrivenWebView("main", engine: engine, link: link, limits: limits)
        webView.onProblem = { [weak self] in self?.reports.append($0) }
        return webView
    }

    /// Waits until a page has attached.
    func attached(_ url: String = "http://localhost:3000/") async throws -> Page {
        let record = try await recorder.first { [server] record in
            record.event.kind == .page
                && server.pages.contains { $0.id == record.page && $0.url == url && $0.isAttached }
        }
        return try #require(server.pages.first { $0.id == record.page })
    }

    /// Whether a page has lost its connection.
    var hasDetached: Bool {
        recorder.records.contains { if case .page(.detached) = $0.event { true } else { false } }
    }
}

@MainActor func withDriver(
    _ configure: (inout BridgeServer.Configuration) -> Void = { _ in },
    _ body: @MainActor (DriverFixture) async throws -> Void
) async throws {
    try await withServer(configure) { server, address in
        try await body(DriverFixture(server, port: address.port))
    }
}

/// A document without a browser. Its scripts give the value in `result`.
@MainActor final class StandInRealm: ScriptRealm {
    var result = EvaluationResult.success(.members(#""value":1"#))

    func evaluate(_ script: PageScript, completion: @escaping @MainActor (EvaluationResult) -> Void) {
        completion(result)
    }

    let delegate: (any PageDelegate)? = nil
    func update(_ settings: WebViewSettings) {}
    func endRound() {}
}

extension DrivenPage {
    convenience init(_ url: String = "http://localhost:3000/", in webView: DrivenWebView, _ realm: any ScriptRealm) {
        self.init(
            Introduction(url: url, origin: "http://localhost:3000", isMainFrame: true), after: nil, in: webView,
            realm: realm)
    }

    /// Posts to the handler `plain`, and returns how the message ended.
    func post(_ body: String) async throws -> MessageEnd {
        try await waitForValue { ended in
            let message = ScriptMessage(handler: "plain", world: nil, replies: false, members: "\"body\":\(body)")
            post(message) { ended.yield($0) }
        }
    }

    func isAllowed(_ url: String) async throws -> Bool {
        try await waitForValue { decided in
            decide(NavigationQuestion(url, .link)) { decided.yield($0) }
        }
    }
}

extension MessageEnd {
    var error: String? { if case .failed(let error) = self { error.message } else { nil } }
}
