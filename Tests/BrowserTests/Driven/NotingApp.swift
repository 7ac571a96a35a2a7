import BridgeServer
import BridgeWebKit
import Foundation
import TestSupport

/// The native half of an app: a web view, and what its delegate has been asked and told. A subclass is the delegate.
@MainActor class NotingApp: NSObject {
    let webView: WKWebView
    var calls: [String] = []
    private var readCount = 0
    private var waiting: [(isOver: () -> Bool, continuation: AsyncStream<Void>.Continuation)] = []

    /// - Parameters:
    ///   - server: its pages in the web view `main` are those of this app.
    ///   - configure: changes the configuration before the web view is made.
    init(_ server: BridgeServer, configure: (WKWebViewConfiguration) -> Void = { _ in }) {
        let configuration = WKWebViewConfiguration()
        configuration.bridgeServer = server
        configuration.bridgedWebViewName = "main"
        configure(configuration)
        webView = WKWebView(frame: .zero, configuration: configuration)
        super.init()
    }

    func note(_ call: String) {
        calls.append(call)
        for entry in waiting where entry.isOver() { entry.continuation.yield() }
        waiting.removeAll { $0.isOver() }
    }

    /// Waits until a call has come.
    func received(_ call: String) async throws { try await wait { self.calls.contains(call) } }

    /// Waits for a call that has not been waited for, and leaves out those before it.
    func next(_ call: String) async throws { while try await next() != call {} }

    /// Waits for the next call, in the order in which they come.
    func next() async throws -> String {
        let index = readCount
        readCount += 1
        try await wait { self.calls.count > index }
        return calls[index]
    }

    private func wait(until isOver: @escaping () -> Bool) async throws {
        if !isOver() { try await waitForValue { waiting.append((isOver, $0)) } }
    }
}
