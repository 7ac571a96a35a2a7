import BridgeProtocol
public import BridgeServer
public import BridgeTraffic

/// Runs `body` with a daemon on a free port and its own event loop, and then stops the daemon.
@MainActor public func withServer<Value>(
    _ configure: (inout BridgeServer.Configuration) -> Void = { _ in },
    _ body: @MainActor (BridgeServer, BridgeServer.Address) async throws -> Value
) async throws -> Value {
    captureWarnings()
    var configuration = BridgeServer.Configuration()
    configure(&configuration)
    let server = try BridgeServer(configuration)
    let address = try await server.start()
    do {
        let value = try await body(server, address)
        await server.stop()
        return value
    } catch {
        await server.stop()
        throw error
    }
}

/// Collects the traffic records of a daemon, and waits for future records.
@MainActor public final class Recorder {
    public private(set) var records: [TrafficRecord] = []
    private var waiters: [(matches: (TrafficRecord) -> Bool, continuation: AsyncStream<TrafficRecord>.Continuation)] =
        []

    public init(_ server: BridgeServer) {
        server.traffic.observe { [weak self] record in self?.append(record) }
    }

    private func append(_ record: TrafficRecord) {
        records.append(record)
        let met = waiters.filter { $0.matches(record) }
        waiters.removeAll { $0.matches(record) }
        for waiter in met { waiter.continuation.yield(record) }
    }

    /// Returns the first record that matches, waiting for it if necessary. The test's time limit ends the wait.
    public func first(where matches: @escaping (TrafficRecord) -> Bool) async throws -> TrafficRecord {
        if let record = records.first(where: matches) { return record }
        return try await waitForValue { waiters.append((matches, $0)) }
    }

    /// Returns the first problem with a code, waiting for it if necessary.
    public func problem(_ code: String) async throws -> (text: String, hint: String?) {
        let record = try await first { if case .problem(code, _, _, _, _) = $0.event { true } else { false } }
        guard case .problem(_, let text, let hint, _, _) = record.event else { return ("", nil) }
        return (text, hint)
    }
}
