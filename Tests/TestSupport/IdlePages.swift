import Foundation

/// Pages that attached and say nothing more: one socket each, and no thread.
public final class IdlePages {
    private let port: UInt16
    private var sockets: [TCPSocket] = []

    public init(port: UInt16) { self.port = port }

    public var count: Int { sockets.count }

    /// Attaches more of them, one after the other, until there are `count`.
    /// - Throws: `POSIXError`, or `Refused` for one that was not let in.
    public func grow(to count: Int) async throws {
        let (port, first) = (port, sockets.count)
        let more = await offThread { Result { try (first..<count).map { try IdlePages.attach($0, port) } } }
        sockets += try more.get()
    }

    /// Whether all connections are open still.
    public func areAllOpen() -> Bool { sockets.allSatisfy { $0.read(within: .zero)?.isEmpty != true } }

    public struct Refused: Error { public let number: Int }

    private static func attach(_ number: Int, _ port: UInt16) throws -> TCPSocket {
        // A small buffer of the kernel's, so that ten thousand of them fit.
        let socket = try TCPSocket(port: port, receiveBuffer: 2_048)
        let handshake = [
            "GET /page HTTP/1.1", "Host: localhost", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Protocol: bridge.page.v1", "Origin: http://localhost", "", "",
        ]
        socket.write(Array(handshake.joined(separator: "\r\n").utf8))
        guard IdlePages.wait(socket, for: "\r\n\r\n") else { throw Refused(number: number) }
        let attach = """
            {"jsonrpc":"2.0","id":"attach","method":"page.attach","params":{"document":"idle-\(number)","webView":"w\(number)",\
            "frame":{"url":"http://localhost/","origin":"http://localhost","isMainFrame":true},"title":"",\
            "readyState":"complete","userAgent":"idle","resume":false}}
            """
        socket.write(WebSocketClient.frame(.text, Array(attach.utf8)))
        guard IdlePages.wait(socket, for: "lastSeq") else { throw Refused(number: number) }
        return socket
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
