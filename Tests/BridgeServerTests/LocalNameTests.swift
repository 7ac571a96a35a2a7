import BridgeTraffic
import Foundation
import TestSupport
import Testing

@testable import BridgeServer

/// Names under `.test`, which are this machine only if the system's resolver says so.
@MainActor @Suite(.timeLimit(.minutes(4))) struct LocalNameTests {
    private static let page = "http://app.test:3000"

    private func expect(
        _ addresses: [String], isWelcome: Bool, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await withServer {
            $0.resolver = { _ in addresses }
        } _: { server, address in
            let (_, response) = try await PageClient.attach(port: address.port, origin: Self.page)
            #expect((response["result"] != nil) == isWelcome, sourceLocation: sourceLocation)
            #expect(server.pages.count == (isWelcome ? 1 : 0), sourceLocation: sourceLocation)
            let fromPage = try await HTTPClient.request(
                path: "/bridge.js", port: address.port, headers: ["Referer: \(Self.page)/"])
            let toName = try await HTTPClient.request(path: "/health", port: address.port, host: "bridge.test")
            for response in [fromPage, toName] {
                #expect(response.status == (isWelcome ? 200 : 403), sourceLocation: sourceLocation)
            }
        }
    }

    @Test func acceptsNamesOfThisMachine() async throws {
        try await expect(["127.0.0.1"], isWelcome: true)
        try await expect(["127.0.0.1", "::1"], isWelcome: true)
    }

    @Test func refusesNamesThatPointElsewhere() async throws {
        try await expect(["203.0.113.7"], isWelcome: false)
        try await expect(["127.0.0.1", "203.0.113.7"], isWelcome: false)
        try await expect([], isWelcome: false)
    }

    @Test func saysWhatTheResolverSaid() async throws {
        try await withServer {
            $0.resolver = { _ in ["203.0.113.7"] }
        } _: { server, address in
            let recorder = Recorder(server)
            let (_, response) = try await PageClient.attach(port: address.port, origin: Self.page)
            #expect(response["error"]?["message"]?.string?.contains("203.0.113.7") == true)
            let problem = try await recorder.problem("originNotAllowed")
            #expect(problem.hint?.contains("\"http://app.test:*\" in Configuration.allowedOrigins") == true)
        }
    }

    @Test func doesNotAskTheResolver_aboutAllowedOrigins() async throws {
        try await withServer {
            $0.allowedOrigins = ["http://*.test:*"]
            $0.resolver = { _ in ["203.0.113.7"] }
        } _: { _, address in
            let (_, response) = try await PageClient.attach(port: address.port, origin: Self.page)
            #expect(response["result"] != nil)
        }
    }

    @Test func slowResolverStopsNoOtherClient_andItsNamesAreRefused() async throws {
        let gate = DispatchSemaphore(value: 0)
        try await withServer {
            $0.resolver = { _ in
                gate.wait()
                return ["127.0.0.1"]
            }
        } _: { server, address in
            let recorder = Recorder(server)
            async let slow = PageClient.attach(port: address.port, origin: Self.page)
            let (_, other) = try await PageClient.attach(
                port: address.port, origin: "http://localhost", document: "d-2")
            #expect(other["result"] != nil)
            #expect(try await slow.1["error"] != nil)
            #expect(try await recorder.problem("originNotAllowed").text.contains("2 s"))
            gate.signal()
        }
    }

    /// Other names must not shut out one that has been this machine's: neither while the resolver hangs with all of them,
    /// nor by being too many to remember.
    @Test func remembersNamesOfThisMachine_whileTheResolverIsBusy() async throws {
        let gate = DispatchSemaphore(value: 0)
        let resolver: LocalNames.Resolver = { name in
            if name.hasPrefix("slow") { gate.wait() }
            return name == "app.test" ? ["127.0.0.1"] : []
        }
        let names = LocalNames(deadlines: Deadlines(clock: SystemClock()), resolver: resolver, validity: .zero)
        func objection(_ name: String) async -> String? {
            await withCheckedContinuation { continuation in
                names.check([name]) { continuation.resume(returning: $0?.text) }
            }
        }
        #expect(await objection("app.test") == nil)
        for number in 0..<100 { #expect(await objection("n\(number).test") == "does not know it") }
        for number in 0..<4 { names.check(["slow\(number).test"]) { _ in } }
        #expect(await objection("other.test") == "is busy with other names")
        #expect(await objection("app.test") == nil)
        for _ in 0..<4 { gate.signal() }
    }

    /// The system's resolver may take 15 s for each name.
    @Test func refusesAtOnce_whileTheResolverIsLate() async throws {
        let gate = DispatchSemaphore(value: 0)
        let resolver: LocalNames.Resolver = { _ in
            gate.wait()
            return ["127.0.0.1"]
        }
        defer { gate.signal() }
        let names = LocalNames(deadlines: Deadlines(clock: SystemClock()), resolver: resolver)
        let first = try await waitForValue { answer in
            names.check(["app.test"]) { answer.yield($0?.text) }
        }
        #expect(first == "has not answered within 2 s")
        var second: String?
        names.check(["app.test"]) { second = $0?.text }
        #expect(second == "has not answered within 2 s")
    }

    @Test func systemKnowsItsOwnName() {
        #expect(LocalNames.systemResolver("localhost").allSatisfy { $0.hasPrefix("127.") || $0 == "::1" })
        #expect(!LocalNames.systemResolver("localhost").isEmpty)
    }
}
