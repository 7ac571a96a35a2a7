import BridgeProtocol
import BridgeTraffic
import Foundation
import TestSupport
import Testing

@testable import BridgeServer

/// Requests that wait for a resolver, or for the Redis of a durable cluster.
@MainActor @Suite(.timeLimit(.minutes(4))) struct WaitingRequestTests {
    /// A keeper that answers claims when a test says so.
    private final class Keeper: PageKeeper {
        var confirmedRecord: Int { .max }
        private(set) var limits: [Duration] = []
        private(set) var claims: [@MainActor (PageClaim) -> Void] = []
        private var waiting: [(count: Int, continuation: AsyncStream<Void>.Continuation)] = []

        func note(_ change: PageChange, of page: KeptPage) {}

        func claim(
            _ document: String, epoch: Int?, origin: String?, within limit: Duration,
            _ answer: @escaping @MainActor (PageClaim) -> Void
        ) {
            limits.append(limit)
            claims.append(answer)
            for wait in waiting where wait.count <= claims.count { wait.continuation.yield() }
        }

        func waitForClaims(_ count: Int) async throws {
            if claims.count < count { try await waitForValue { waiting.append((count, $0)) } }
        }
    }

    private static func post(
        _ document: String, bytes: Int = 0, origin: String = "http://localhost", _ address: BridgeServer.Address
    ) async throws -> HTTPClient.Response {
        try await HTTPClient.request(
            "POST", path: "/beacon", port: address.port, headers: ["Origin: \(origin)", "Content-Type: text/plain"],
            body: PageClient.beacon(document: document, resume: true, messages: 2, bytes: bytes))
    }

    private func withKeeper(_ body: (BridgeServer, BridgeServer.Address, Keeper) async throws -> Void) async throws {
        let keeper = Keeper()
        try await withServer {
            // Requests that wait may have a quarter of it.
            $0.limits.memoryBytes = 6 << 20
        } _: { server, address in
            server.parts.gate.keeper = keeper
            server.addHandler("nativeApp", .plain { _, _ in .handled })
            try await body(server, address, keeper)
        }
    }

    @Test func beaconThatWaits_countsAsMemory_andTooManyAreRefused() async throws {
        try await withKeeper { server, address, keeper in
            let recorder = Recorder(server)
            async let first = Self.post("d-1", bytes: 600 << 10, address)
            try await keeper.waitForClaims(1)
            #expect(server.parts.memory.requests.bytes > 600 << 10)
            let second = try await Self.post("d-2", bytes: 1 << 20, address)
            #expect(second.status == 503)
            let text = try await recorder.problem("memoryUsedUp").text
            #expect(text.hasPrefix("2 messages of the document 'd-2' could not be handled"))
            #expect(keeper.claims.count == 1, "A claim takes memory, too.")
            keeper.claims[0](.new)
            #expect(try await first.status == 204)
            #expect(server.parts.memory.requests.bytes == 0)
        }
    }

    @Test func beaconThatWaitedForTooLong_isRefused() async throws {
        try await withKeeper { server, address, keeper in
            let recorder = Recorder(server)
            async let response = Self.post("d-1", address)
            try await keeper.waitForClaims(1)
            #expect(keeper.limits == [server.parts.documents.limits.awayTimeout])
            keeper.claims[0](.unanswered("it is silent"))
            #expect(try await response.status == 503)
            let text = try await recorder.problem("badBeacon").text
            #expect(text == "2 messages of the document 'd-1' could not be handled: it is silent.")
            #expect(server.parts.memory.requests.bytes == 0)
        }
    }

    @Test func daemonThatStops_answersWhatWaits() async throws {
        try await withKeeper { server, address, keeper in
            let recorder = Recorder(server)
            let (page, _) = try await PageClient.attach(port: address.port)
            page.close(1001)
            _ = try await recorder.first { if case .page(.detached) = $0.event { true } else { false } }
            async let response = Self.post("d-1", address)
            try await keeper.waitForClaims(1)
            await server.stop()
            #expect(try await response.status == 503)
            let text = try await recorder.problem("badBeacon").text
            #expect(text.hasPrefix("2 messages of p1 could not be handled: the daemon stopped"))
            #expect(server.parts.memory.requests.bytes == 0)
        }
    }

    @Test func daemonThatStops_waitsForAnswersThatComeSoon() async throws {
        try await withKeeper { server, address, keeper in
            let collector = server.collectBodies()
            async let response = Self.post("d-1", address)
            try await keeper.waitForClaims(1)
            let (stopped, continuation) = AsyncStream.makeStream(of: Void.self)
            startImmediately {
                await server.stop()
                continuation.yield()
            }
            #expect(server.parts.documents.predecessors.areOver)
            keeper.claims[0](.new)
            for await _ in stopped { break }
            let status = try await response.status
            #expect(status == 204)
            #expect(collector.bodies.count == 2)
        }
    }

    @Test func bodyThatWaitsForAName_countsAsMemory_andTooManyAreRefused() async throws {
        let gate = DispatchSemaphore(value: 0)
        let (questions, continuation) = AsyncStream.makeStream(of: Void.self)
        try await withServer {
            $0.limits.memoryBytes = 6 << 20
            $0.resolverPatience = .seconds(600)
            $0.resolver = { _ in
                continuation.yield()
                gate.wait()
                return ["127.0.0.1"]
            }
        } _: { server, address in
            let recorder = Recorder(server)
            async let first = Self.post("d-1", bytes: 600 << 10, origin: "http://app.test", address)
            for await _ in questions { break }
            #expect(server.parts.memory.requests.bytes >= 600 << 10)
            let second = try await Self.post("d-2", bytes: 1 << 20, origin: "http://app.test", address)
            #expect(second.status == 503)
            #expect(try await recorder.problem("memoryUsedUp").text.contains("/beacon"))
            gate.signal()
            #expect(try await first.status == 204)
            #expect(server.parts.memory.requests.bytes == 0)
        }
    }

    @Test func daemonThatStops_refusesWhatWaitsForAName() async throws {
        let gate = DispatchSemaphore(value: 0)
        defer { gate.signal() }
        let (questions, continuation) = AsyncStream.makeStream(of: Void.self)
        try await withServer {
            $0.resolverPatience = .seconds(600)
            $0.resolver = { _ in
                continuation.yield()
                gate.wait()
                return []
            }
        } _: { server, address in
            let recorder = Recorder(server)
            async let response = Self.post("d-1", origin: "http://app.test", address)
            for await _ in questions { break }
            #expect(server.parts.memory.requests.bytes > 0)
            await server.stop()
            #expect(try await response.status == 403)
            _ = try await recorder.problem("originNotAllowed")
        }
    }
}
