import Foundation

/// The client's end of a WebSocket (RFC 6455), for whole text messages.
final class WebSocketConnection {
    let socket: Socket
    private var incoming: [UInt8] = []
    private var outgoing: [UInt8] = []
    private var written = 0
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    /// Connects, and waits for the handshake's end.
    init(port: UInt16, path: String, subprotocol: String) throws {
        socket = try Socket(port: port)
        let request = """
            GET \(path) HTTP/1.1\r\nHost: localhost:\(port)\r\nOrigin: http://localhost:\(port)\r\n\
            Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\
            Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: \(subprotocol)\r\n\r\n
            """
        _ = try socket.write(Array(request.utf8)[...])
        var head: [UInt8] = []
        var byte: UInt8 = 0
        while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
            guard recv(socket.descriptor, &byte, 1, 0) == 1 else { throw LoadError("No answer to the handshake") }
            head.append(byte)
        }
        let text = String(decoding: head, as: UTF8.self)
        guard text.hasPrefix("HTTP/1.1 101") else { throw LoadError("The handshake was refused, \(text.prefix(40))") }
    }

    deinit { scratch.deallocate() }

    /// Queues a message. The mask that a client has to send is four zeros, which leave the payload as it is.
    func queue(_ payload: [UInt8]) {
        outgoing.append(0x81)
        switch payload.count {
        case ..<126: outgoing.append(0x80 | UInt8(payload.count))
        case ..<65_536: outgoing += [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default:
            outgoing.append(0xFF)
            outgoing += (0..<8).reversed().map { UInt8(truncatingIfNeeded: payload.count >> ($0 * 8)) }
        }
        outgoing += [0, 0, 0, 0]
        outgoing += payload
    }

    /// Writes what is queued, as far as the socket takes it.
    /// - Returns: whether all of it went out.
    func flush() throws -> Bool {
        while written < outgoing.count {
            let count = try socket.write(outgoing[written...])
            guard count > 0 else { return false }
            written += count
        }
        outgoing.removeAll(keepingCapacity: true)
        written = 0
        return true
    }

    /// Reads, and hands every whole message over.
    func read(_ receive: (UnsafeRawBufferPointer) throws -> Void) throws {
        try socket.read(into: &incoming, using: scratch)
        var start = 0
        try incoming.withUnsafeBytes { bytes in
            while let (payload, end) = WebSocketConnection.frame(bytes, at: start) {
                try receive(UnsafeRawBufferPointer(rebasing: bytes[payload]))
                start = end
            }
        }
        if start == incoming.count { incoming.removeAll(keepingCapacity: true) } else { incoming.removeFirst(start) }
    }

    /// The payload of the frame that begins at `start`, and where the next one begins; nil where it is not whole yet.
    private static func frame(_ bytes: UnsafeRawBufferPointer, at start: Int) -> (Range<Int>, Int)? {
        guard start + 2 <= bytes.count else { return nil }
        let short = Int(bytes[start + 1] & 0x7F)
        let extra = short == 127 ? 8 : short == 126 ? 2 : 0
        guard start + 2 + extra <= bytes.count else { return nil }
        let length = extra == 0 ? short : bytes[start + 2..<start + 2 + extra].reduce(0) { $0 << 8 | Int($1) }
        let payload = start + 2 + extra
        guard payload + length <= bytes.count else { return nil }
        return (payload..<payload + length, payload + length)
    }
}
