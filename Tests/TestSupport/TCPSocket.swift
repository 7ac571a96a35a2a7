import BridgeProtocol
import Foundation

/// A blocking TCP connection to this machine.
///
/// Sendable: the descriptor is constant, and the kernel orders the calls that use it.
final class TCPSocket: Sendable {
    let descriptor: Int32

    /// - Parameter receiveBuffer: the number of bytes that the kernel buffers for a reader that does not read. Nil
    ///   leaves the choice to the kernel, which buffers megabytes.
    init(port: UInt16, receiveBuffer: Int32? = nil) throws {
        descriptor = socket(AF_INET, SocketType.stream, 0)
        if var receiveBuffer {
            setsockopt(
                descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout.size(ofValue: receiveBuffer)))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    deinit { close(descriptor) }

    /// Lets `write` give up if the peer takes nothing for some seconds.
    func limitWriting(seconds: Int) {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Writes all bytes, or fewer if the peer has gone.
    func write(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Foundation.send(
                    descriptor, buffer.baseAddress.map { $0 + sent }, buffer.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Returns the next bytes, or nil at the end of the stream.
    func read(upTo count: Int) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: count)
        let received = recv(descriptor, &buffer, count, 0)
        return received > 0 ? Array(buffer[..<received]) : nil
    }

    /// Waits up to `patience` seconds and returns whether there is something to read, which includes the end of the
    /// stream.
    func hasBytes(within patience: Double) -> Bool {
        var end = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&end, 1, Int32(patience * 1_000)) > 0
    }

    /// Returns the bytes that arrive in time, an empty array at the end of the stream, or nil after the time limit.
    func read(within patience: Duration) -> [UInt8]? {
        hasBytes(within: patience / .seconds(1)) ? read(upTo: 65_536) ?? [] : nil
    }

    func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}

/// Reads HTTP heads and WebSocket frames. `@unchecked Sendable`: its owner makes sure that only one thread uses it at a
/// time.
final class FrameReader: @unchecked Sendable {
    private let socket: TCPSocket
    private var buffer: [UInt8] = []
    /// The index of the first unread byte in the buffer.
    private var start = 0
    private var message: [UInt8] = []

    struct Head: Sendable {
        var status = 0
        var fields: [String: String] = [:]
    }

    init(socket: TCPSocket) { self.socket = socket }

    func readHead() -> Head {
        var lines: [String] = []
        while let line = readLine(), !line.isEmpty { lines.append(line) }
        var head = Head()
        head.status = lines.first.flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) } ?? 0
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { head.fields[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces) }
        }
        return head
    }

    func readBody(_ head: Head) -> String {
        guard let length = head.fields["content-length"].flatMap({ Int($0) }) else {
            if head.fields["transfer-encoding"] == "chunked" { return readChunks() }
            // The body ends with the connection (RFC 9112, section 6.3).
            var body = Array(buffer[start...])
            while let more = socket.read(upTo: 65_536) { body += more }
            return String(decoding: body, as: UTF8.self)
        }
        return String(decoding: take(length) ?? Array(buffer[start...]), as: UTF8.self)
    }

    /// Reads chunks to the last one, or as many as come (RFC 9112, section 7.1).
    private func readChunks() -> String {
        var body: [UInt8] = []
        while let length = readLine().flatMap({ Int($0, radix: 16) }), length > 0, let chunk = take(length) {
            body += chunk
            _ = readLine()
        }
        return String(decoding: body, as: UTF8.self)
    }

    func readEvent() -> WebSocketClient.Event? {
        while let start = take(2) {
            var length = Int(start[1] & 0x7f)
            if length >= 126 {
                guard let extended = take(length == 126 ? 2 : 8) else { return nil }
                length = extended.reduce(0) { $0 << 8 | Int($1) }
            }
            guard let payload = take(length) else { return nil }
            switch WebSocketClient.Opcode(rawValue: start[0] & 0x0f) {
            case .ping: return .ping(payload)
            case .pong: return .pong
            case .close:
                let code = payload.prefix(2).reduce(UInt16(0)) { $0 << 8 | UInt16($1) }
                return .close(code: code, reason: String(decoding: payload.dropFirst(2), as: UTF8.self))
            default:
                message += payload
                guard start[0] & 0x80 != 0 else { continue }
                defer { message = [] }
                return .text(String(decoding: message, as: UTF8.self))
            }
        }
        return nil
    }

    func readLine() -> String? {
        var line: [UInt8] = []
        while true {
            if let end = buffer[start...].firstIndex(of: UInt8(ascii: "\n")) {
                line += buffer[start..<end]
                start = end + 1
                return String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)
            }
            line += buffer[start...]
            guard let more = socket.read(upTo: 65_536) else { return nil }
            (buffer, start) = (more, 0)
        }
    }

    private func take(_ count: Int) -> [UInt8]? {
        while buffer.count - start < count {
            guard let more = socket.read(upTo: 65_536) else { return nil }
            buffer = buffer[start...] + more
            start = 0
        }
        defer { start += count }
        return Array(buffer[start..<start + count])
    }
}
