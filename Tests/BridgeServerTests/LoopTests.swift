import BridgeServer
import Foundation
import TestSupport
import Testing

/// The event loop: what it waits for, and what it leaves behind.
@MainActor @Suite(.timeLimit(.minutes(4))) struct LoopTests {
    /// The liveness check runs outside of libwebsockets' callbacks, so that libwebsockets must be told of the end.
    @Test func hangsUpOnASilentPeer_soon() async throws {
        try await withServer {
            $0.limits.pongTimeout = .seconds(1)
        } _: { _, address in
            let start = ContinuousClock.now
            let request = IdlePages.handshake
            _ = try await offThread {
                Result { try RawConversation.hold([request], port: address.port, patience: 25) }
            }.get()
            #expect(ContinuousClock.now - start < .seconds(20), "libwebsockets looks at its timers every 30 seconds")
        }
    }

    #if os(Linux)
        @Test func leavesNoDescriptorsOpen() async throws {
            let before = try eventLoops()
            for _ in 0..<40 {
                try await withServer { _, address in _ = try await PageClient.attach(port: address.port) }
            }
            // Tests that run meanwhile have servers, too.
            #expect(try eventLoops() < before + 30)
        }

        private func eventLoops() throws -> Int {
            let folder = "/proc/self/fd"
            return try FileManager.default.contentsOfDirectory(atPath: folder)
                .filter {
                    (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)"))
                        == "anon_inode:[eventpoll]"
                }
                .count
        }
    #endif
}
