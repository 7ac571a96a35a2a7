import BridgeTraffic
import Foundation

/// A WebSocket to a daemon (RFC 6455), without TLS, blocking. Foundation's has none on Linux.
///
/// Bound to the thread that made it.
final class WebSocket {
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private var message: [UInt8] = []

    /// - Throws: `POSIXError`, or `WebSocketRefused` where the server answers something other than 101.
    init(host: String, port: Int, path: String, headers: [String]) throws {
        descriptor = try WebSocket.connect(host, port)
        let key = Data((0..<16).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
        let lines =
            [
                "GET \(path) HTTP/1.1", "Host: \(host.contains(":") ? "[\(host)]" : host):\(port)",
                "Upgrade: websocket",
                "Connection: Upgrade", "Sec-WebSocket-Key: \(key)", "Sec-WebSocket-Version: 13",
            ] + headers
        try write(Array((lines + ["", ""]).joined(separator: "\r\n").utf8))
        let head = try readHead()
        guard head.hasPrefix("HTTP/1.1 101") else {
            throw WebSocketRefused(description: String(head.prefix { $0 != "\r\n" && $0 != "\n" }))
        }
    }

    deinit { close(descriptor) }

    func send(_ text: String) throws {
        try write(WebSocket.frame(opcode: 1, Array(text.utf8)))
    }

    /// Says good-bye.
    func leave() { try? write(WebSocket.frame(opcode: 8, [0x03, 0xE9])) }

    /// The next text message; nil where none comes in time, or the connection is gone.
    func receive(within timeout: Duration) throws -> String? {
        let deadline = ContinuousClock.now + timeout
        while true {
            while let (opcode, isFinal, payload) = takeFrame() {
                switch opcode {
                case 8: return nil
                case 9: try write(WebSocket.frame(opcode: 10, payload))
                case 10: break
                default:
                    message += payload
                    guard isFinal else { continue }
                    defer { message = [] }
                    return String(decoding: message, as: UTF8.self)
                }
            }
            guard try fill(until: deadline) else { return nil }
        }
    }

    // MARK: Frames

    private static func frame(opcode: UInt8, _ payload: [UInt8]) -> [UInt8] {
        var frame: [UInt8] = [0x80 | opcode]
        switch payload.count {
        case ..<126: frame.append(0x80 | UInt8(payload.count))
        case ..<65_536: frame += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xff)]
        default: frame += [0x80 | 127] + (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
        }
        let mask = (0..<4).map { _ in UInt8.random(in: 0...255) }
        return frame + mask + payload.enumerated().map { $1 ^ mask[$0 & 3] }
    }

    private func takeFrame() -> (opcode: UInt8, isFinal: Bool, payload: [UInt8])? {
        guard buffer.count >= 2 else { return nil }
        var (start, length) = (2, Int(buffer[1] & 0x7f))
        if length >= 126 {
            start += length == 126 ? 2 : 8
            guard buffer.count >= start else { return nil }
            length = buffer[2..<start].reduce(0) { $0 << 8 | Int($1) }
        }
        guard buffer.count - start >= length else { return nil }
        let frame = (buffer[0] & 0x0f, buffer[0] & 0x80 != 0, Array(buffer[start..<start + length]))
        buffer.removeFirst(start + length)
        return frame
    }

    // MARK: Bytes

    private static func connect(_ host: String, _ port: Int) throws -> Int32 {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &list) == 0 else { throw POSIXError(.EHOSTUNREACH) }
        defer { freeaddrinfo(list) }
        var next = list
        while let address = next?.pointee {
            let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
            if Foundation.connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return descriptor }
            close(descriptor)
            next = address.ai_next
        }
        throw POSIXError(.ECONNREFUSED)
    }

    private func write(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                Foundation.send(
                    descriptor, bytes.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw POSIXError(.EPIPE) }
            sent += count
        }
    }

    /// False where nothing came in time, or nothing will.
    private func fill(until deadline: ContinuousClock.Instant) throws -> Bool {
        let left = max(.zero, deadline - ContinuousClock.now) / .milliseconds(1)
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, Int32(left.rounded(.up))) > 0 else { return false }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return false }
        buffer += bytes[..<count]
        return true
    }

    private func readHead() throws -> String {
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let index = buffer.firstRange(of: end) {
                defer { buffer.removeFirst(index.upperBound) }
                return String(decoding: buffer[..<index.lowerBound], as: UTF8.self)
            }
            guard try fill(until: .now + .seconds(10)) else { throw POSIXError(.ETIMEDOUT) }
        }
    }
}

/// The first line of an answer that was not 101.
struct WebSocketRefused: Error, CustomStringConvertible {
    let description: String
}
