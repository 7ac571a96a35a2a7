import Foundation
import Synchronization

/// A socket that listens on both addresses of `localhost`.
final class ListeningSocket: Sendable {
    private let descriptor = Mutex<Int32?>(nil)

    /// - Returns: a function that waits for the next connection, and returns nil after `close`.
    func listen(on port: Int) throws -> @Sendable () -> Connection? {
        let socket = Glibc.socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        var (on, off) = (Int32(1), Int32(0))
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        setsockopt(socket, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &off, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = UInt16(port).bigEndian
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
            }
        }
        guard isBound, Glibc.listen(socket, 16) == 0 else {
            let error = POSIXError(.init(rawValue: errno) ?? .EIO)
            Glibc.close(socket)
            throw error
        }
        descriptor.withLock { $0 = socket }
        return {
            let connection = accept(socket, nil, nil)
            return connection >= 0 ? Connection(connection) : nil
        }
    }

    func close() {
        descriptor.withLock { descriptor in
            guard let socket = descriptor.take() else { return }
            // Wakes the thread that accepts connections.
            shutdown(socket, Int32(SHUT_RDWR))
            Glibc.close(socket)
        }
    }
}

/// The connection of a client.
final class Connection: Sendable {
    private let descriptor: Mutex<Int32?>

    init(_ descriptor: Int32) { self.descriptor = Mutex(descriptor) }

    struct Request {
        let method: String
        let target: String

        var pathAndQuery: (String, String) {
            let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            let path = parts.first.map(String.init) ?? "/"
            return (path.removingPercentEncoding ?? path, parts.count > 1 ? String(parts[1]) : "")
        }
    }

    /// Reads until the empty line after the header fields.
    func readHead() -> Request? {
        var head = [UInt8]()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while head.count < 65_536, !String(decoding: head, as: UTF8.self).contains("\r\n\r\n") {
            let count = descriptor.withLock { $0.map { recv($0, &buffer, buffer.count, 0) } ?? 0 }
            guard count > 0 else { return nil }
            head += buffer.prefix(count)
        }
        let parts = String(decoding: head, as: UTF8.self).prefix { $0 != "\r\n" }.split(separator: " ")
        return parts.count >= 2 ? Request(method: String(parts[0]), target: String(parts[1])) : nil
    }

    func write(_ data: Data) {
        descriptor.withLock { descriptor in
            guard let descriptor else { return }
            var rest = [UInt8](data)[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }

    func close() {
        descriptor.withLock { descriptor in
            if let socket = descriptor.take() { Glibc.close(socket) }
        }
    }
}
