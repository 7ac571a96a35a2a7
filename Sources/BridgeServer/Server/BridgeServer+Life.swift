import BridgeProtocol
import BridgeTraffic
import Foundation

/// Starting and stopping.
extension BridgeServer {
    /// The loop holds the server, and the state holds the loop, which keeps a server alive while it runs.
    enum State {
        case stopped
        case starting
        case listening(EventLoop, Address)
        case stopping

        var isChanging: Bool {
            switch self {
            case .starting, .stopping: true
            case .stopped, .listening: false
            }
        }
    }

    /// Serves on the calling thread until `stop`. It must be the main thread of a program without an async `main`.
    ///
    /// Tasks and timers of the main actor run meanwhile, because the loop also polls the main dispatch queue.
    /// - Parameter listening: is called once, when connections are accepted.
    /// - Throws: an error that says why the server cannot listen, or that it does already.
    public func runOnMainThread(_ listening: @MainActor (Address) throws -> Void) throws {
        guard case .stopped = state else { throw TransportError.alreadyStarted }
        #if os(Linux)
            let loop = try makeLoop(.mainThread)
            state = .starting
            defer { didStop() }
            try loop.runOnMainThread { try listening(publish($0, loop)) }
        #else
            try runBesideMainThread(listening)
        #endif
    }

    /// Serves as `runOnMainThread` does where no loop can poll the main dispatch queue, as on a Mac: the loop gets a
    /// thread of its own, and Foundation's loop runs on the calling thread.
    package func runBesideMainThread(_ listening: @MainActor (Address) throws -> Void) throws {
        let starting = Starting()
        Task {
            do { starting.result = .success(try await start()) } catch { starting.result = .failure(error) }
        }
        var result = starting.result
        while result == nil {
            _ = RunLoop.main.run(mode: .default, before: .distantFuture)
            result = starting.result
        }
        guard let address = try result?.get() else { return }
        do { try listening(address) } catch {
            Task { await stop(draining: .zero, grace: .zero) }
            runUntilStopped()
            throw error
        }
        runUntilStopped()
    }

    @MainActor private final class Starting { var result: Result<Address, any Error>? }

    private func runUntilStopped() {
        while true {
            if case .stopped = state { return }
            _ = RunLoop.main.run(mode: .default, before: .distantFuture)
        }
    }

    /// Serves on a thread of its own until `stop`. It returns when connections are accepted.
    ///
    /// A server that listens already stays as it is, and its address is returned.
    /// - Throws: an error that says why the server cannot listen.
    @discardableResult
    public func start() async throws -> Address {
        await untilSettled()
        if let address { return address }
        state = .starting
        do {
            let loop = try makeLoop(.ownThread)
            let listening = try await loop.startOnOwnThread { [self] in
                // The loop has already sent its last events to the main actor, so this runs after them.
                DispatchQueue.main.async { MainActor.assumeIsolated { self.didStop() } }
            }
            do { return try publish(listening, loop) } catch {
                state = .stopping
                loop.stop(draining: .zero, grace: .zero)
                await untilSettled()
                throw error
            }
        } catch {
            if case .starting = state {
                state = .stopped
                resumeWaiting()
            }
            throw error
        }
    }

    /// Stops accepting connections, handles the messages that clients have sent, writes the waiting messages, and
    /// closes every connection with 1001. Returns when all connections are closed. A server that is stopped stays
    /// so, and may be started again.
    ///
    /// - Parameters:
    ///   - limit: the longest time to handle messages, for pages that do not stop posting.
    ///   - grace: the longest time to wait for the connections to close.
    public func stop(draining limit: Duration = .seconds(5), grace: Duration = .milliseconds(1_500)) async {
        await untilSettled()
        guard case .listening(let loop, _) = state else { return }
        state = .stopping
        parts.channel.beginStopping()
        parts.documents.beginStopping()
        let end = ContinuousClock.now + limit
        await parts.departure.waitingRequests.finish(within: min(limit, .seconds(1)))
        traffic.waitForArchive(until: end)
        // This may take all the remaining time.
        traffic.flush()
        loop.stop(draining: max(.zero, end - .now), grace: grace)
        await untilSettled()
    }

    /// Waits until no start or stop is under way.
    private func untilSettled() async {
        while state.isChanging { await withCheckedContinuation { waiting.append($0) } }
    }

    private func resumeWaiting() {
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    /// - Throws: `ConfigurationError` if the process may open too few descriptors for even one connection.
    private func makeLoop(_ placement: EventLoop.Placement) throws(ConfigurationError) -> EventLoop {
        var transport = transport
        transport.limits.connections = try roomForConnections(placement)
        return EventLoop(transport, parts.memory.budget, placement: placement) { [self] event in handle(event) }
    }

    /// The number of connections for which the process may open descriptors. If the loop runs on the main thread, the
    /// process is the daemon's own, so its limit may also be lowered.
    private func roomForConnections(_ placement: EventLoop.Placement) throws(ConfigurationError) -> Int {
        let wanted = transport.limits.connections
        let limit = DescriptorLimit.fit(wanted, mayLower: placement == .mainThread)
        let hint = "Raise the hard limit to \(DescriptorLimit.needed(for: wanted)) (ulimit -Hn, systemd's LimitNOFILE=)"
        guard limit.connections > 0 else {
            throw ConfigurationError(
                description:
                    "This process may have \(limit.descriptors) files open, which the daemon needs for itself. \(hint)."
            )
        }
        if limit.connections < wanted {
            traffic.problem(
                .fewDescriptors,
                "This process may have \(limit.descriptors) files open, so \(limit.connections) connections are accepted "
                    + "and not \(wanted).",
                hint: "\(hint), or lower \(setting("max-connections", "limits.connections")).")
        }
        return limit.connections
    }

    private func publish(_ listening: Listening, _ loop: EventLoop) throws -> Address {
        let access = transport.access
        if access.pageToken != nil, transport.tls == nil { reportUnencrypted() }
        let url = "\(transport.scheme)://\(localHost(of: listening)):\(listening.port)/"
        let discoveryFile = try DiscoveryFile(
            port: listening.port, url: url, token: access.token, pageToken: access.pageToken)
        self.discoveryFile = discoveryFile
        let address = Address(
            url: url, port: listening.port, addresses: listening.addresses, discoveryFile: discoveryFile.path,
            pageToken: access.pageToken?.text)
        state = .listening(loop, address)
        parts.origins.ofDaemon = Origin(startOf: url)
        parts.missingScripts.address = address
        control.daemon.address = address
        resumeWaiting()
        return address
    }

    /// The host with which this machine reaches the first listener. A listener on all addresses includes the loopback.
    private func localHost(of listening: Listening) -> String {
        switch listening.addresses.first {
        case "0.0.0.0", nil: "127.0.0.1"
        case "::": "[::1]"
        case let address?: address.contains(":") ? "[\(address)]" : address
        }
    }

    private func reportUnencrypted() {
        traffic.problem(
            .unencrypted,
            "The daemon listens beyond this machine without TLS: anyone on the network can read the traffic, tokens included.",
            hint:
                "Give it a certificate (\(setting("tls-cert, --tls-key", "tls"))), or listen on localhost and reach it through ssh -L."
        )
    }

    private func didStop() {
        state = .stopped
        parts.missingScripts.address = nil
        control.daemon.address = nil
        discoveryFile?.remove()
        discoveryFile = nil
        // Ends the requests that came while the loop was stopping.
        parts.departure.waitingRequests.endAll()
        parts.documents.endReplies()
        parts.channel.beginAgain()
        traffic.countRepeatedProblems()
        traffic.finish(before: .now + .seconds(1))
        resumeWaiting()
    }
}

extension TransportError {
    fileprivate static let alreadyStarted = TransportError(
        .alreadyStarted, "The server has been started already. Stop it first, or make another BridgeServer.")
}
