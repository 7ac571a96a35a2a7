import BridgeTraffic
import Foundation

/// A WebSocket client that can do everything wrong: a blocking socket, a thread that reads, and frames made by hand
/// (RFC 6455).
public final class WebSocketClient: Sendable {
    public enum Event: Sendable, Equatable {
        case text(String)
        case ping([UInt8])
        case pong
        case close(code: UInt16, reason: String)
        /// The connection is gone.
        case ended
    }

    /// The server answered the handshake with something other than 101.
    public struct Refused: Error {
        public let status: Int
        public let body: String
    }

    public enum Opcode: UInt8, Sendable { case continuation = 0, text = 1, binary = 2, close = 8, ping = 9, pong = 10 }

    /// `Sec-WebSocket-Extensions`, where the server agreed to some.
    public let extensions: String?
    private let socket: TCPSocket
    private let events: AsyncStream<Event>
    /// Whoever holds it may read. It begins at 0, because a semaphore must not end with less than it began with.
    private let reading = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - origin: nil sends no `Origin`, as a client that is no browser.
    ///   - headers: more header lines, without their line ends.
    ///   - receiveBuffer: as for `TCPSocket`.
    public static func connect(
        port: UInt16, path: String = "/page", host: String? = nil, origin: String? = "http://localhost",
        subprotocols: String? = "bridge.page.v1", headers: [String] = [], receiveBuffer: Int32? = nil
    ) async throws -> WebSocketClient {
        let socket = try TCPSocket(port: port, receiveBuffer: receiveBuffer)
        var lines = [
            "GET \(path) HTTP/1.1", "Host: \(host ?? "localhost:\(port)")", "Upgrade: websocket", "Connection: Upgrade",
        ]
        lines += ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13"]
        if let origin { lines.append("Origin: \(origin)") }
        if let subprotocols { lines.append("Sec-WebSocket-Protocol: \(subprotocols)") }
        socket.write(Array((lines + headers + ["", ""]).joined(separator: "\r\n").utf8))
        let reader = FrameReader(socket: socket)
        let head = try await offThread { reader.readHead() }
        guard head.status == 101 else {
            throw Refused(status: head.status, body: try await offThread { reader.readBody(head) })
        }
        return WebSocketClient(socket: socket, reader: reader, extensions: head.fields["sec-websocket-extensions"])
    }

    private init(socket: TCPSocket, reader: FrameReader, extensions: String?) {
        self.socket = socket
        self.extensions = extensions
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        self.events = events
        reading.signal()
        let thread = Thread { [reading] in
            while true {
                reading.wait()
                reading.signal()
                guard let event = reader.readEvent() else { break }
                if case .ping(let payload) = event { socket.write(WebSocketClient.frame(.pong, payload)) }
                // RFC 6455, 5.5.1: a close is answered with a close.
                if case .close(let code, _) = event {
                    socket.write(WebSocketClient.frame(.close, [UInt8(code >> 8), UInt8(code & 0xff)]))
                }
                continuation.yield(event)
            }
            continuation.yield(.ended)
            continuation.finish()
        }
        thread.start()
    }

    deinit { socket.shutDown() }

    /// Leaves unread what comes from now on, but for what is being read, until `readOn`.
    public func stopReading() { reading.wait() }

    public func readOn() { reading.signal() }

    /// Events in order. One consumer at a time.
    public var incoming: AsyncStream<Event> { events }

    public func send(_ text: String) { send(.text, Array(text.utf8)) }

    public func send(_ opcode: Opcode, _ payload: [UInt8], isFinal: Bool = true) {
        socket.write(WebSocketClient.frame(opcode, payload, isFinal: isFinal))
    }

    /// Bytes as they are, a frame or none.
    public func write(_ bytes: [UInt8]) { socket.write(bytes) }

    /// Breaks the connection without a close frame.
    public func drop() { socket.shutDown() }

    /// Lengths at which the header of a frame changes its form, or at which a number overflows.
    public static let awkwardLengths: [UInt64] = [
        0, 1, 125, 126, 127, 1 << 16 - 1, 1 << 16, 1 << 31, 1 << 32, 1 << 53 - 1, 1 << 53 + 1, 1 << 63 - 1, 1 << 63,
        .max,
    ]

    /// The header of a frame of any length. Its mask is four zeros.
    public static func header(_ opcode: Opcode, length: UInt64, isFinal: Bool = true) -> [UInt8] {
        let first = (isFinal ? 0x80 : 0) | opcode.rawValue
        func bytes(_ count: Int) -> [UInt8] {
            (1...count).map { UInt8(truncatingIfNeeded: length >> (8 * (count - $0))) }
        }
        switch length {
        case ..<126: return [first, 0x80 | UInt8(length), 0, 0, 0, 0]
        case ..<65_536: return [first, 0x80 | 126] + bytes(2) + [0, 0, 0, 0]
        default: return [first, 0x80 | 127] + bytes(8) + [0, 0, 0, 0]
        }
    }

    /// Masks eight bytes at a time, because a debug build takes seconds for a megabyte that is masked byte by byte.
    private static func masked(_ payload: [UInt8], _ mask: [UInt8]) -> [UInt8] {
        let word = (0..<8).reduce(UInt64(0)) { $0 | UInt64(mask[$1 & 3]) << UInt64(8 * $1) }.littleEndian
        var result = payload
        result.withUnsafeMutableBytes { bytes in
            let end = bytes.count & ~7
            for start in stride(from: 0, to: end, by: 8) {
                let plain = bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)
                bytes.storeBytes(of: plain ^ word, toByteOffset: start, as: UInt64.self)
            }
            for index in end..<bytes.count { bytes[index] ^= mask[index & 3] }
        }
        return result
    }

    /// One masked frame.
    public static func frame(_ opcode: Opcode, _ payload: [UInt8], isFinal: Bool = true) -> [UInt8] {
        var frame: [UInt8] = [(isFinal ? 0x80 : 0) | opcode.rawValue]
        switch payload.count {
        case ..<126: frame.append(0x80 | UInt8(payload.count))
        case ..<65_536: frame += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xff)]
        default: frame += [0x80 | 127] + (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
        }
        let mask: [UInt8] = [0x12, 0x34, 0x56, 0x78]
        return frame + mask + masked(payload, mask)
    }
}
