import Foundation

/// Drives all connections on one thread. Each answer sends the next message of its connection.
struct LoadLoop {
    private let clients: [Client]

    init(peer: Load.Peer, port: UInt16, connections: Int) throws {
        clients = try (0..<connections).map { try Client(peer: peer, port: port, number: $0) }
    }

    /// The monotonic time in nanoseconds.
    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Posts `messages` messages in total and waits for their answers.
    func run(messages: Int, inFlight: Int, text: String) throws -> Samples {
        var samples = Samples()
        samples.times.reserveCapacity(messages)
        var left = messages
        func next() -> String? {
            guard left > 0 else { return nil }
            left -= 1
            return text
        }
        let start = LoadLoop.now
        for client in clients {
            for _ in 0..<inFlight { if let text = next() { client.post(text) } }
            try client.flush()
        }
        var polled = clients.map { pollfd(fd: $0.connection.descriptor, events: Int16(POLLIN), revents: 0) }
        while samples.times.count < messages {
            poll(&polled, nfds_t(polled.count), -1)
            for index in polled.indices where polled[index].revents != 0 {
                let client = clients[index]
                if polled[index].revents & Int16(POLLIN) != 0 {
                    try client.read(next: next) { samples.times.append($0) }
                }
                try client.flush()
                polled[index].events = Int16(client.isCongested ? POLLIN | POLLOUT : POLLIN)
            }
        }
        samples.elapsed = LoadLoop.now - start
        return samples
    }
}
