import BridgeProtocol
import Foundation
import Synchronization

/// Accepts connections on a free port of 127.0.0.1, each on its own thread, until it is released.
///
/// Sendable: the descriptor is constant, and the kernel orders the calls that use it.
public final class ListeningSocket: Sendable {
    public let port: UInt16
    private let descriptor: Int32
    private let isAccepting = Mutex(false)

    /// - Parameters:
    ///   - port: 0 picks a free one.
    ///   - backlog: how many connections the kernel takes that nobody has accepted.
    /// - Throws: `POSIXError`.
    public init(port: UInt16 = 0, backlog: Int32 = 64) throws {
        #if os(Linux)
            descriptor = socket(AF_INET, SocketType.stream | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            descriptor = socket(AF_INET, SocketType.stream, 0)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listens = withUnsafeMutablePointer(to: &address) { [descriptor] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && listen(descriptor, backlog) == 0
                    && getsockname(descriptor, $0, &size) == 0
            }
        }
        self.port = UInt16(bigEndian: address.sin_port)
        guard listens else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    /// Calls `serve` with each connection. Call it only once.
    public func accept(_ serve: @escaping @Sendable (borrowing AcceptedSocket) -> Void) {
        let descriptor = descriptor
        isAccepting.withLock { $0 = true }
        Thread {
            while case let connection = Foundation.accept(descriptor, nil, nil), connection >= 0 {
                Thread { serve(AcceptedSocket(descriptor: connection)) }.start()
            }
            // Not in deinit: the number could then belong to another socket at the next accept.
            close(descriptor)
        }.start()
    }

    deinit {
        // Ends the pending accept, which close alone would not do.
        shutdown(descriptor, Int32(SHUT_RDWR))
        if !isAccepting.withLock({ $0 }) { close(descriptor) }
    }
}

/// An accepted connection, used only by the thread that serves it.
public struct AcceptedSocket: ~Copyable {
    let descriptor: Int32

    fileprivate init(descriptor: Int32) {
        self.descriptor = descriptor
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// The next bytes, or nil at the end and after 10 s without a byte.
    public func read() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let received = recv(descriptor, &buffer, buffer.count, 0)
        return received > 0 ? Array(buffer[..<received]) : nil
    }

    /// Writes all bytes, or fewer if the peer has gone.
    /// - Returns: whether all bytes were written.
    @discardableResult public func write(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                send(descriptor, buffer.baseAddress.map { $0 + sent }, buffer.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}
