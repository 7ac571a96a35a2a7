import BridgeProtocol
import BridgeServer
import BridgeTesting
import EmulatedApp
import Foundation
import TestSupport
import Testing

/// The demo page in a browser, with its own daemon.
@MainActor struct Demo {
    let server: BridgeServer
    let address: BridgeServer.Address
    let app: EmulatedApp
    let recorder: Recorder
    let browser: Browser

    /// Waits until the page is attached and returns it.
    func attached() async throws -> Page {
        _ = try await recorder.first { if case .page(.attached) = $0.event { true } else { false } }
        return try #require(server.pages.first)
    }

    /// Waits for the first message with that name and returns its verdict.
    func message(_ name: String) async throws -> Verdict {
        let record = try await recorder.first { if case .message(_, name, _, _, _) = $0.event { true } else { false } }
        guard case .message(_, _, _, _, let verdict) = record.event else { throw UnexpectedError(error: nil) }
        return verdict
    }

    /// Waits in the page until an expression is true. The page evaluates it in each animation frame.
    func wait(_ page: Page, for expression: String) async throws {
        let body = "while (!(\(expression))) await new Promise(requestAnimationFrame)"
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            page.callAsync(body) { result in
                continuation.resume(with: result.map { _ in }.mapError { $0 })
            }
        }
    }
}

struct UnexpectedError: Error {
    let error: (any Error)?
}

/// Opens the demo and runs `body` with it. Then it stops the daemon, and closes the browser unless `body` has kept it.
@MainActor func withDemo(
    in engine: Browser.Engine, _ body: @MainActor (Demo) async throws -> Void
) async throws {
    try await withServer { server, address in
        let app = try EmulatedApp(server: server)
        let recorder = Recorder(server)
        let browser = try launch(engine, "\(address.url)demo/")
        try await body(Demo(server: server, address: address, app: app, recorder: recorder, browser: browser))
    }
}

func launch(
    _ engine: Browser.Engine, _ url: String, arguments: [String] = [], localNames: [String] = []
) throws -> Browser {
    do {
        return try Browser(engine, opening: url, arguments: arguments, localNames: localNames)
    } catch let missing as Browser.Missing {
        throw try skipped(missing)
    }
}

/// Skips the test if a browser is not installed. In CI, that is an error.
func requireInstalled(_ engine: Browser.Engine) throws {
    guard engine.executable != nil else { throw try skipped(Browser.Missing(engine: engine)) }
}

/// Skips the test because a browser is missing. In CI, that is an error.
func skipped<Missing: Error>(_ missing: Missing) throws -> Missing {
    if ProcessInfo.processInfo.environment["CI"] != nil { return missing }
    print("Skipped: \(missing)")
    try Test.cancel("\(missing)")
}
