import Foundation

/// Finds out why an address cannot be listened on; libwebsockets says only that it cannot.
enum Listener {
    /// The error that explains why `address` cannot be listened on; nil if it can.
    static func probe(_ address: String, port: UInt16) -> TransportError? {
        let failure = withSocketAddress(address, port: port) { family, pointer, length -> Int32 in
            let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
            guard descriptor >= 0 else { return errno }
            defer { close(descriptor) }
            var yes: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
            return bind(descriptor, pointer, length) == 0 ? 0 : errno
        }
        guard let failure else {
            return TransportError(
                .invalidAddress, "'\(address)' is not an IP address. Give a literal one, such as 127.0.0.1 or ::1.")
        }
        return failure == 0 ? nil : error(failure, address, port)
    }

    private static func error(_ number: Int32, _ address: String, _ port: UInt16) -> TransportError {
        switch number {
        case EADDRINUSE:
            TransportError(
                .addressInUse,
                "Port \(port) on \(address) is in use, perhaps by another bridged. "
                    + "Stop that one, or choose another port with --port (0 picks a free one).")
        case EACCES:
            TransportError(
                .permissionDenied,
                "This user is not allowed to listen on port \(port). Choose a port above 1023 with --port.")
        case EADDRNOTAVAIL, EAFNOSUPPORT:
            TransportError(
                .addressUnavailable,
                "This machine does not have the address \(address). `ip address` lists the ones it has.")
        default:
            TransportError(
                .libraryFailed, "Cannot listen on \(address) port \(port): \(String(cString: strerror(number))).")
        }
    }

    /// - Returns: nil if `address` is not a literal IPv4 or IPv6 address.
    private static func withSocketAddress(
        _ address: String, port: UInt16, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32? {
        var four = sockaddr_in()
        if inet_pton(AF_INET, address, &four.sin_addr) == 1 {
            four.sin_family = sa_family_t(AF_INET)
            four.sin_port = port.bigEndian
            return rebound(&four) { body(AF_INET, $0, $1) }
        }
        var six = sockaddr_in6()
        if inet_pton(AF_INET6, address, &six.sin6_addr) == 1 {
            six.sin6_family = sa_family_t(AF_INET6)
            six.sin6_port = port.bigEndian
            return rebound(&six) { body(AF_INET6, $0, $1) }
        }
        return nil
    }

    private static func rebound<Address>(
        _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
}
