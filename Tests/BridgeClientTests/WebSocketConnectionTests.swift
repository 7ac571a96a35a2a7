import Foundation
import TestSupport
import Testing

@testable import BridgeClient

/// Servers that leave a client waiting.
@Suite(.timeLimit(.minutes(1))) struct WebSocketConnectionTests {
    private func code(port: UInt16) -> POSIXErrorCode? {
        do {
            _ = try WebSocket(host: "127.0.0.1", port: Int(port), path: "/", patience: .milliseconds(200))
            return nil
        } catch { return (error as? POSIXError)?.code }
    }

    @Test func serverThatDoesNotAnswerTheHandshake_isGivenUp() throws {
        let silent = try ListeningSocket()
        #expect(code(port: silent.port) == .ETIMEDOUT)
    }

    @Test func portWithoutAServer_isRefused() throws {
        let port = try ListeningSocket().port
        #expect(code(port: port) == .ECONNREFUSED)
    }

    #if os(Linux)
        /// Linux drops what is sent to a socket whose backlog is full, as a firewall does, and sends it again for minutes.
        @Test func serverThatDoesNotTakeTheConnection_isGivenUp() throws {
            let full = try ListeningSocket(backlog: 0)
            // Linux takes one more than the backlog.
            for _ in 1...2 { #expect(code(port: full.port) == .ETIMEDOUT) }
        }
    #endif
}
