import BridgeProtocol
import BridgeTraffic
import Foundation

/// Attached pages that send nothing more. Each one costs a socket, but no thread.
public final class IdlePages {
    private let port: UInt16
    private var sockets: [TCPSocket] = []

    public init(port: UInt16) { self.port = port }

    public var count: Int { sockets.count }

    /// Attaches more pages until there are `count`.
    ///
    /// It attaches 200 at a time: the daemon serves several connections in each iteration of its event loop.
    /// - Throws: `POSIXError`, or `Refused` if the daemon did not accept a page.
    public func grow(to count: Int) async throws {
        while sockets.count < count {
            let (port, numbers) = (port, sockets.count..<min(count, sockets.count + 200))
            sockets += try await offThread { Result { try IdlePages.attach(numbers, port) } }.get()
        }
    }

    /// Returns whether all connections are still open.
    public func areAllOpen() -> Bool { sockets.allSatisfy { $0.read(within: .zero)?.isEmpty != true } }

    public struct Refused: Error { public let number: Int }

    private static func attach(_ numbers: Range<Int>, _ port: UInt16) throws -> [TCPSocket] {
        // A small receive buffer in the kernel, so that ten thousand sockets fit into memory.
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

    public static let handshake = Array(
        [
            "GET /page HTTP/1.1", "Host: localhost", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Protocol: bridge.page.v1", "Origin: http://localhost", "", "",
        ].joined(separator: "\r\n").utf8)

    private static func attach(_ number: Int) -> [UInt8] {
        let frame = FrameInfo(url: "http://localhost/", origin: "http://localhost", isMainFrame: true)
        let attach = AttachPage(document: "idle-\(number)", webView: "w\(number)", frame: frame, userAgent: "idle")
        let text = PageClient.text(attach, id: "attach")
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

/// The limit of the system for open files.
public enum OpenFiles {
    /// Raises the soft limit of this process.
    /// - Returns: whether the process may have `count` files open at a time.
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
