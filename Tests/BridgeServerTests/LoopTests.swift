import Foundation
import TestSupport
import Testing

@testable import BridgeServer

/// The event loop: what it waits for, and what it leaves behind.
@MainActor @Suite(.timeLimit(.minutes(4))) struct LoopTests {
    /// The liveness check runs outside of libwebsockets' callbacks, so that libwebsockets must be told of the end.
    @Test func hangsUpOnASilentPeer_soon() async throws {
        try await withServer {
            $0.limits.pongTimeout = .seconds(1)
        } _: { _, address in
            let request = IdlePages.handshake
            // Measured there, because this actor has other tests to run.
            let duration = try await offThread {
                Result {
                    try ContinuousClock().measure {
                        _ = try RawConversation.hold([request], port: address.port, patience: 25)
                    }
                }
            }.get()
            #expect(duration < .seconds(20), "libwebsockets looks at its timers every 30 seconds")
        }
    }

    /// Otherwise the first of a thousand pages waits for the messages of all others.
    @Test func endsARoundAfter32Senders() async throws {
        let (events, continuation) = AsyncStream.makeStream(of: TransportEvent.self)
        let memory = MemoryBudget(limit: 1 << 20)
        let configuration = try TransportConfiguration(BridgeServer.Configuration())
        let loop = EventLoop(configuration, memory, placement: .ownThread) { continuation.yield($0) }
        let listening = try await loop.startOnOwnThread { continuation.finish() }
        var clients: [WebSocketClient] = []
        for _ in 0..<100 { clients.append(try await WebSocketClient.connect(port: listening.port)) }
        let (isBlocked, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        loop.perform { _ in
            isBlocked.signal()
            mayGoOn.wait()
        }
        try await offThread { isBlocked.wait() }
        for client in clients { client.send("{}") }
        mayGoOn.signal()
        var senders = [0]
        for await event in events {
            switch event {
            case .received: senders[senders.endIndex - 1] += 1
            case .roundEnded where senders.last != 0: senders.append(0)
            default: break
            }
            if senders.reduce(0, +) == clients.count { break }
        }
        #expect(senders.allSatisfy { $0 <= 32 }, "\(senders)")
        loop.stop(draining: .zero, grace: .zero)
        for await _ in events {}
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
