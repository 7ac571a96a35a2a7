import BridgeTraffic
import Foundation

/// Pages that attached and say nothing more: one socket each, and no thread.
public final class IdlePages {
    private let port: UInt16
    private var sockets: [TCPSocket] = []

    public init(port: UInt16) { self.port = port }

    public var count: Int { sockets.count }

    /// Attaches more of them, until there are `count`. Some at a time: with each round of its loop the daemon looks at
    /// all connections, and so serves several in one.
    /// - Throws: `POSIXError`, or `Refused` for one that was not let in.
    public func grow(to count: Int) async throws {
        while sockets.count < count {
            let (port, numbers) = (port, sockets.count..<min(count, sockets.count + 200))
            sockets += try await offThread { Result { try IdlePages.attach(numbers, port) } }.get()
        }
    }

    /// Whether all connections are open still.
    public func areAllOpen() -> Bool { sockets.allSatisfy { $0.read(within: .zero)?.isEmpty != true } }

    public struct Refused: Error { public let number: Int }

    private static func attach(_ numbers: Range<Int>, _ port: UInt16) throws -> [TCPSocket] {
        // A small buffer of the kernel's, so that ten thousand of them fit.
        let sockets = try numbers.map { _ in try TCPSocket(port: port, receiveBuffer: 2_048) }
        for socket in sockets { socket.write(handshake) }
        for (number, socket) in zip(numbers, sockets) {
            guard wait(socket, for: "\r\n\r\n") else { throw Refused(number: number) }
        }
        for (number, socket) in zip(numbers, sockets) { socket.write(attach(number)) }
        for (number, socket) in zip(numbers, sockets) {
            guard wait(socket, for: "lastSeq") else { throw Refused(number: number) }
        }
        return sockets
    }

    private static let handshake = Array(
        [
            "GET /page HTTP/1.1", "Host: localhost", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Protocol: bridge.page.v1", "Origin: http://localhost", "", "",
        ].joined(separator: "\r\n").utf8)

    private static func attach(_ number: Int) -> [UInt8] {
        let text = """
            {"jsonrpc":"2.0","id":"attach","method":"page.attach","params":{"document":"idle-\(number)","webView":"w\(number)",\
            "frame":{"url":"http://localhost/","origin":"http://localhost","isMainFrame":true},"title":"",\
            "readyState":"complete","userAgent":"idle","resume":false}}
            """
        return WebSocketClient.frame(.text, Array(text.utf8))
    }

    private static func wait(_ socket: TCPSocket, for text: String) -> Bool {
        var received = ""
        while !received.contains(text) {
            guard let bytes = socket.read(within: .seconds(20)), !bytes.isEmpty else { return false }
            received += String(decoding: bytes, as: UTF8.self)
        }
        return true
    }
}

/// What the system grants this process.
public enum OpenFiles {
    /// Raises the soft limit.
    /// - Returns: whether `count` files may be open at a time.
    public static func allow(_ count: Int) -> Bool {
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return false }
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, rlim_t(count)))
        return setrlimit(resource, &limit) == 0 && limit.rlim_cur >= rlim_t(count)
    }
}
