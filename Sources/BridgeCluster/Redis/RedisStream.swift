import Foundation

/// The bytes of a connection to Redis: a socket that does not block, perhaps with TLS. It does not own the socket.
final class RedisStream {
    /// The result of an attempt to read or write.
    enum Transfer {
        case bytes(Int)
        /// Nothing can be done until the socket is ready.
        case wait
        case ended(String)
    }

    private let descriptor: Int32
    private let tls: RedisTLS?

    /// - Throws: ``RedisAddress/Mistake`` if a certificate or key cannot be used.
    init(_ descriptor: Int32, _ settings: RedisAddress.TLS?) throws(RedisAddress.Mistake) {
        self.descriptor = descriptor
        guard let settings else {
            tls = nil
            return
        }
        tls = try RedisTLS(settings, on: descriptor)
    }

    /// Whether TLS has to write before it can go on.
    var wantsToWrite: Bool { tls?.wantsToWrite ?? false }

    /// Whether there are bytes to read that have left the socket.
    var hasPending: Bool { tls?.hasPending ?? false }

    /// Finds out whether the socket is connected, and shakes hands.
    /// - Returns: `bytes` when bytes can be read and written.
    func open() -> Transfer {
        var error: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 else { return .ended(text(errno)) }
        guard error == 0 else { return .ended(text(error)) }
        return tls?.shakeHands() ?? .bytes(0)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        if let tls { return tls.read(into: buffer) }
        let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
        return count == 0 ? .ended("it has closed the connection") : transfer(count)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        if let tls { return tls.write(bytes) }
        // libwebsockets lets the process ignore SIGPIPE.
        return transfer(Foundation.write(descriptor, bytes.baseAddress, bytes.count))
    }

    private func transfer(_ count: Int) -> Transfer {
        guard count < 0 else { return .bytes(count) }
        return [EAGAIN, EWOULDBLOCK, EINTR].contains(errno) ? .wait : .ended(text(errno))
    }

    private func text(_ error: Int32) -> String { String(cString: strerror(error)) }

    /// Ends TLS. Call it before the socket is closed.
    func close() { tls?.close() }
}
