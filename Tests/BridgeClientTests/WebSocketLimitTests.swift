import Foundation
import TestSupport
import Testing

@testable import BridgeClient

/// WebSockets to a server that does not answer as bridged does. None fills the memory or waits without end.
@Suite(.timeLimit(.minutes(4))) struct WebSocketLimitTests {
    private func open(_ daemon: FalseDaemon) throws -> WebSocket {
        try WebSocket(host: "127.0.0.1", port: Int(daemon.port), path: "/page")
    }

    /// Reads until the connection is given up, or nothing more is wanted.
    private func read(_ behaviour: String, within time: Duration) async throws -> (error: String?, bytes: Int) {
        let daemon = try await FalseDaemon(behaviour)
        return try await offThread { [self] in
            let before = residentBytes()
            do {
                return (try open(daemon).receive(within: time), residentBytes() - before)
            } catch {
                return ("\(error)", residentBytes() - before)
            }
        }
    }

    private func residentBytes() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4_096
    }

    /// The header says how long the frame is, so its bytes are not read.
    @Test func refusesAFrameThatIsLongerThanMemory() async throws {
        let (error, bytes) = try await read("frameOfATebibyte", within: .seconds(60))
        #expect(error?.contains("more than 268435456 bytes") == true, "\(error ?? "nothing")")
        // Other tests use the memory of this process, too.
        #expect(bytes < 1 << 30)
    }

    @Test func refusesAMessageThatDoesNotEnd() async throws {
        let (error, _) = try await read("endlessFragments", within: .seconds(120))
        #expect(error?.contains("more than 268435456 bytes") == true, "\(error ?? "nothing")")
    }

    @Test func waitsNoLongerForAMessage_thoughOtherFramesCome() async throws {
        let start = ContinuousClock.now
        let (error, _) = try await read("endlessPings", within: .seconds(1))
        #expect(error == nil)
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test(arguments: ["hugeHeader", "manyHeaders", "silent", "dripHeader", "noHTTP", "errorPage"])
    func refusesAWrongHandshake(_ behaviour: String) async throws {
        let daemon = try await FalseDaemon(behaviour)
        // Measured there, because other tests may have this one's thread meanwhile.
        let (isOpen, duration) = try await offThread { [self] in
            let start = ContinuousClock.now
            let isOpen = (try? open(daemon)) != nil
            return (isOpen, ContinuousClock.now - start)
        }
        #expect(!isOpen)
        #expect(duration < .seconds(30))
    }
}
