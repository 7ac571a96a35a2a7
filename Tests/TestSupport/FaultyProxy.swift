import Foundation
import Synchronization

/// A TCP proxy in front of a daemon that cuts each WebSocket somewhere, in the middle of a frame as likely as not; some fall
/// silent before they end. Plain requests pass.
public final class FaultyProxy: Sendable {
    public var port: UInt16 { listener.port }
    /// How many WebSockets it has cut.
    public var cuts: Int { counter.cuts.withLock { $0 } }
    private let listener: ListeningSocket
    private let counter = Counter()

    /// - Parameter bytes: how many a WebSocket may carry, both ways together, before it is cut.
    /// - Throws: `POSIXError`.
    public init(to target: UInt16, bytes: ClosedRange<Int>) throws {
        listener = try ListeningSocket()
        listener.accept { [counter] client in
            guard let server = try? TCPSocket(port: target), let request = client.read() else { return }
            server.write(request)
            let isWebSocket = String(decoding: request, as: UTF8.self).lowercased().contains("upgrade: websocket")
            let wasCut = FaultyProxy.relay(client, server, upTo: isWebSocket ? .random(in: bytes) : .max)
            if wasCut { counter.cuts.withLock { $0 += 1 } }
        }
    }

    /// - Returns: whether the connection was cut, and did not end by itself.
    private static func relay(_ client: borrowing AcceptedSocket, _ server: TCPSocket, upTo limit: Int) -> Bool {
        var left = limit
        while true {
            var ends = [client.descriptor, server.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&ends, 2, 60_000) > 0 else { return false }
            for (end, source) in ends.enumerated() where source.revents != 0 {
                guard let bytes = end == 0 ? client.read() : server.read(upTo: 16_384) else { return false }
                let part = Array(bytes.prefix(left))
                if end == 0 { server.write(part) } else { client.write(part) }
                left -= part.count
                guard left == 0 else { continue }
                // Half-open for a while: the one thing that neither side can see.
                if Bool.random() { Thread.sleep(forTimeInterval: .random(in: 0.01...0.2)) }
                return true
            }
        }
    }

    private final class Counter: Sendable {
        let cuts = Mutex(0)
    }
}
