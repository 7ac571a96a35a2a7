import BridgeProtocol
import Foundation

/// A WebSocket client for text messages (RFC 6455), without TLS. On Linux, Foundation's `URLSessionWebSocketTask` needs
/// a libcurl with WebSockets, which many systems do not have, such as Debian 12.
///
/// A caller that may block uses `send` and `receive`. A caller with many connections polls `descriptor`, and uses
/// `queue`, `flush` and `read`, which do not block. The class is not thread-safe.
package final class WebSocket {
    /// The non-blocking socket.
    package let descriptor: Int32
    private var incoming: [UInt8] = []
    private var outgoing: [UInt8] = []
    /// The number of bytes of `outgoing` that are already written.
    private var written = 0
    /// The fragments of a message whose final frame has not arrived.
    private var fragments: [UInt8] = []
    private var received: [String] = []
    private var isClosed = false
    private let mask: [UInt8]
    private let acknowledgesAtOnce: Bool
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    /// The largest message, and the largest head of the answer to the opening handshake, in bytes.
    package static let largestMessage = 256 << 20
    private static let largestHead = 64 << 10
    /// How long the connection, the opening handshake and each write may take.
    package static let patience = Duration.seconds(10)

    private enum Opcode {
        static let text: UInt8 = 1
        static let close: UInt8 = 8
        static let ping: UInt8 = 9
        static let pong: UInt8 = 10
    }

    /// Connects, and waits for the opening handshake.
    ///
    /// - Parameters:
    ///   - headers: header lines to add to the request, without line ends.
    ///   - mask: the mask of all frames. Zeros leave the payload as it is, but Firefox takes them for a missing mask. A
    ///     random mask protects proxies from scripts in browsers (RFC 6455, section 10.3); no script chooses these
    ///     payloads.
    ///   - acknowledgesAtOnce: whether TCP's acknowledgements are not delayed. A server that sends a frame's header and
    ///     payload apart, without TCP_NODELAY, waits for the first one's, for up to 40 ms (RFC 896). Firefox does.
    ///   - patience: how long the connection may take, and then the handshake. The kernel alone would wait for minutes.
    /// - Throws: `POSIXError`, or `WebSocketRefused` if the server does not answer with 101.
    package init(
        host: String, port: Int, path: String, headers: [String] = [], mask: UInt32 = 0,
        acknowledgesAtOnce: Bool = false, patience: Duration = WebSocket.patience
    ) throws {
        self.acknowledgesAtOnce = acknowledgesAtOnce
        self.mask = mask == 0 ? [] : withUnsafeBytes(of: mask) { Array($0) }
        descriptor = try WebSocket.connect(host, port, before: .now + patience)
        let key = Data((0..<16).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
        let lines =
            [
                "GET \(path) HTTP/1.1", "Host: \(host.contains(":") ? "[\(host)]" : host):\(port)",
                "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: \(key)",
                "Sec-WebSocket-Version: 13",
            ] + headers
        outgoing = Array((lines + ["", ""]).joined(separator: "\r\n").utf8)
        try flushAll()
        let head = try readHead(before: .now + patience)
        guard head.hasPrefix("HTTP/1.1 101") else {
            throw WebSocketRefused(description: String(head.prefix { $0 != "\r\n" && $0 != "\n" }.prefix(300)))
        }
    }

    deinit {
        close(descriptor)
        scratch.deallocate()
    }

    // MARK: Waiting

    /// Sends a message, and waits until it is written.
    package func send(_ text: String) throws {
        queue(Array(text.utf8))
        try flushAll()
    }

    /// Waits for the next message.
    /// - Returns: nil if none arrives in time, or if the connection is closed.
    package func receive(within timeout: Duration) throws -> String? {
        let deadline = ContinuousClock.now + timeout
        while received.isEmpty {
            guard !isClosed, wait(for: POLLIN, until: deadline) else { return nil }
            try readAvailable { received.append(String(decoding: $0, as: UTF8.self)) }
            // Other frames may come without end.
            guard !received.isEmpty || ContinuousClock.now < deadline else { return nil }
        }
        return received.removeFirst()
    }

    /// Sends a close frame with code 1001 (going away), as a browser does if its user leaves the page.
    package func leave() {
        queueLeaving()
        try? flushAll()
    }

    // MARK: Polling

    /// Queues the close frame of `leave` for `flush`.
    package func queueLeaving() { appendFrame(Opcode.close, [0x03, 0xE9]) }

    /// Queues a message for `flush`.
    package func queue(_ message: [UInt8]) { appendFrame(Opcode.text, message) }

    /// Writes as much of the queued frames as the socket accepts.
    /// - Returns: whether nothing is left to write.
    package func flush() throws -> Bool {
        while written < outgoing.count {
            let count = outgoing[written...].withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EAGAIN { return false }
            guard count > 0 else { throw POSIXError(.EPIPE) }
            written += count
        }
        outgoing.removeAll(keepingCapacity: true)
        written = 0
        return true
    }

    /// Reads the bytes that have arrived, passes each complete message to `handle`, and answers pings.
    /// - Throws: `POSIXError` if the connection is closed, `WebSocketRefused` if a message is too large, and the errors of
    ///   `handle`.
    package func read(_ handle: (UnsafeRawBufferPointer) throws -> Void) throws {
        try readAvailable(handle)
        if isClosed { throw POSIXError(.ECONNRESET) }
    }

    private func readAvailable(_ handle: (UnsafeRawBufferPointer) throws -> Void) throws {
        fill()
        var start = 0
        try incoming.withUnsafeBytes { bytes in
            while let frame = WebSocketFrame(bytes, at: start) {
                start = frame.payload.upperBound
                let payload = UnsafeRawBufferPointer(rebasing: bytes[frame.payload])
                switch frame.opcode {
                case Opcode.close: isClosed = true
                case Opcode.ping:
                    appendFrame(Opcode.pong, Array(payload))
                    _ = try flush()
                case Opcode.pong: break
                case _ where frame.isFinal && fragments.isEmpty: try handle(payload)
                default:
                    guard fragments.count + payload.count <= WebSocket.largestMessage else { throw tooLarge }
                    fragments += payload
                    guard frame.isFinal else { continue }
                    let message = fragments
                    fragments = []
                    try message.withUnsafeBytes(handle)
                }
            }
        }
        if start == incoming.count { incoming.removeAll(keepingCapacity: true) } else { incoming.removeFirst(start) }
        let announced = incoming.withUnsafeBytes { WebSocketFrame.announcedLength($0) }
        if announced > WebSocket.largestMessage { throw tooLarge }
    }

    private var tooLarge: WebSocketRefused {
        isClosed = true
        return WebSocketRefused(description: "it sends a message of more than \(WebSocket.largestMessage) bytes")
    }

    // MARK: Frames

    private func appendFrame(_ opcode: UInt8, _ payload: [UInt8]) {
        outgoing.append(0x80 | opcode)
        switch payload.count {
        case ..<126: outgoing.append(0x80 | UInt8(payload.count))
        case ..<65_536: outgoing += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default: outgoing += [0x80 | 127] + (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
        }
        if mask.isEmpty {
            outgoing += [0, 0, 0, 0]
            outgoing += payload
        } else {
            outgoing += mask
            outgoing += payload.indices.lazy.map { payload[$0] ^ self.mask[$0 & 3] }
        }
    }

    // MARK: Bytes

    private static func connect(
        _ host: String, _ port: Int, before deadline: ContinuousClock.Instant
    ) throws -> Int32 {
        var hints = addrinfo()
        hints.ai_socktype = SocketType.stream
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &list) == 0 else { throw POSIXError(.EHOSTUNREACH) }
        defer { freeaddrinfo(list) }
        var next = list
        var failure = POSIXError(.ECONNREFUSED)
        while let address = next?.pointee {
            let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            let isConnected = Foundation.connect(descriptor, address.ai_addr, address.ai_addrlen) == 0
            do {
                if !isConnected { try finishConnecting(descriptor, before: deadline) }
                set(TCP_NODELAY, of: descriptor)
                return descriptor
            } catch {
                failure = error
            }
            close(descriptor)
            next = address.ai_next
        }
        throw failure
    }

    private static func finishConnecting(
        _ descriptor: Int32, before deadline: ContinuousClock.Instant
    ) throws(POSIXError) {
        var code = errno
        if code == EINPROGRESS {
            guard wait(for: POLLOUT, on: descriptor, until: deadline) else { throw POSIXError(.ETIMEDOUT) }
            var size = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
        }
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .ECONNREFUSED) }
    }

    private static func set(_ option: Int32, of descriptor: Int32) {
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), option, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Appends the bytes that have arrived to `incoming`, a limited number: a peer can send faster than this reads.
    private func fill(_ count: Int = 16 << 20) {
        defer { if acknowledgesAtOnce { acknowledge() } }
        let limit = incoming.count + count
        while incoming.count < limit {
            let count = recv(descriptor, scratch.baseAddress, scratch.count, 0)
            if count < 0, errno == EAGAIN || errno == EINTR { return }
            guard count > 0 else {
                isClosed = true
                return
            }
            incoming.append(contentsOf: UnsafeRawBufferPointer(rebasing: scratch[..<count]))
            if count < scratch.count { return }
        }
    }

    /// Acknowledges what has been read. The kernel goes back to delays by itself, so each read asks anew.
    private func acknowledge() {
        #if os(Linux)
            WebSocket.set(TCP_QUICKACK, of: descriptor)
        #endif
    }

    private func flushAll() throws {
        let deadline = ContinuousClock.now + WebSocket.patience
        while try !flush() {
            guard wait(for: POLLOUT, until: deadline) else { throw POSIXError(.ETIMEDOUT) }
        }
    }

    private func wait(for event: Int32, until deadline: ContinuousClock.Instant) -> Bool {
        WebSocket.wait(for: event, on: descriptor, until: deadline)
    }

    private static func wait(
        for event: Int32, on descriptor: Int32, until deadline: ContinuousClock.Instant
    ) -> Bool {
        let milliseconds = max(.zero, deadline - ContinuousClock.now) / .milliseconds(1)
        var entry = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        return poll(&entry, 1, Int32(min(milliseconds.rounded(.up), 86_400_000))) > 0
    }

    private func readHead(before deadline: ContinuousClock.Instant) throws -> String {
        while true {
            if let end = incoming.firstRange(of: Array("\r\n\r\n".utf8)) {
                defer { incoming.removeFirst(end.upperBound) }
                return String(decoding: incoming[..<end.lowerBound], as: UTF8.self)
            }
            guard !isClosed else { throw POSIXError(.ECONNRESET) }
            guard incoming.count <= WebSocket.largestHead else {
                throw WebSocketRefused(description: "its answer's header has more than \(WebSocket.largestHead) bytes")
            }
            guard ContinuousClock.now < deadline, wait(for: POLLIN, until: deadline) else {
                throw POSIXError(.ETIMEDOUT)
            }
            fill(WebSocket.largestHead + 1)
        }
    }
}

/// The error if the server answers the opening handshake with another status than 101, or sends too much.
package struct WebSocketRefused: Error, CustomStringConvertible {
    /// The first line of the answer, or what was wrong.
    package let description: String
}
