import Foundation
import Synchronization

/// A TCP proxy in front of a daemon that cuts each WebSocket at a random place, often in the middle of a frame. Some
/// connections fall silent before they end. Plain HTTP requests pass unchanged.
public final class FaultyProxy: Sendable {
    public var port: UInt16 { listener.port }
    /// The number of WebSockets that it has cut.
    public var cuts: Int { state.withLock { $0.cuts } }
    private let listener: ListeningSocket
    private let state: Shared

    /// - Parameters:
    ///   - bytes: the number of bytes, in both directions together, after which a WebSocket is cut. Nil cuts none.
    ///   - seed: the seed of the random choices.
    /// - Throws: `POSIXError`.
    public init(to target: UInt16, bytes: ClosedRange<Int>? = nil, seed: UInt64 = 0) throws {
        let state = Shared(State(generator: SeededGenerator(seed: seed)))
        self.state = state
        listener = try ListeningSocket()
        listener.accept { client in
            guard let server = try? TCPSocket(port: target), let request = client.read() else { return }
            server.write(request)
            let isWebSocket = String(decoding: request, as: UTF8.self).lowercased().contains("upgrade: websocket")
            let cut = state.withLock { isWebSocket ? $0.nextCut(bytes) : nil }
            if state.relay(client, server, until: cut) { state.withLock { $0.cuts += 1 } }
        }
    }

    /// Makes all connections half-open from now on: the proxy drops all bytes, and neither side learns that the other
    /// one has gone.
    public func swallow() { state.withLock { $0.isSwallowing = true } }

    /// The place where a connection is cut, and how long it is silent before that.
    fileprivate struct Cut {
        let bytes: Int
        let silence: TimeInterval
    }

    fileprivate struct State {
        var generator: SeededGenerator
        var cuts = 0
        var isSwallowing = false

        mutating func nextCut(_ bytes: ClosedRange<Int>?) -> Cut? {
            guard let bytes else { return nil }
            // Some connections are half-open first, which neither side can detect.
            let isSilent = Bool.random(using: &generator)
            return Cut(
                bytes: .random(in: bytes, using: &generator),
                silence: isSilent ? .random(in: 0.01...0.2, using: &generator) : 0)
        }
    }

    /// State that the proxy shares with the threads of its connections.
    fileprivate final class Shared: Sendable {
        private let state: Mutex<State>

        init(_ state: State) { self.state = Mutex(state) }

        func withLock<Value: Sendable>(_ body: (inout State) -> Value) -> Value { state.withLock { body(&$0) } }

        /// - Returns: true if the proxy cut the connection, false if the connection ended by itself.
        func relay(_ client: borrowing AcceptedSocket, _ server: TCPSocket, until cut: Cut?) -> Bool {
            var left = cut?.bytes ?? .max
            var descriptors = [client.descriptor, server.descriptor]
            while descriptors.contains(where: { $0 >= 0 }) {
                var ends = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
                guard poll(&ends, 2, 60_000) > 0 else { return false }
                for (end, source) in ends.enumerated() where source.revents != 0 {
                    let bytes = end == 0 ? client.read() : server.read(upTo: 16_384)
                    if withLock({ $0.isSwallowing }) {
                        if bytes == nil { descriptors[end] = -1 }
                        continue
                    }
                    guard let bytes else { return false }
                    let part = Array(bytes.prefix(left))
                    if end == 0 { server.write(part) } else { client.write(part) }
                    left -= part.count
                    guard let cut, left == 0 else { continue }
                    Thread.sleep(forTimeInterval: cut.silence)
                    return true
                }
            }
            return false
        }
    }
}
