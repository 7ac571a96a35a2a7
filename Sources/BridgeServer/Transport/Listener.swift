import BridgeProtocol
import Foundation

/// Finds out why the daemon cannot listen on an address; libwebsockets does not report the reason.
enum Listener {
    /// Tries to bind a socket to the address and port. Returns the error, or nil if it succeeds.
    static func probe(_ address: String, port: UInt16) -> TransportError? {
        // `canonical` is checked first, because getaddrinfo would accept other forms, such as 127.1.
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_PASSIVE
        hints.ai_family = address.contains(":") ? AF_INET6 : AF_INET
        var list: UnsafeMutablePointer<addrinfo>?
        guard PeerAddress.canonical(address) != nil, getaddrinfo(address, String(port), &hints, &list) == 0,
            let info = list?.pointee
        else {
            return TransportError(
                .invalidAddress, "'\(address)' is not an IP address. Give a literal one, such as 127.0.0.1 or ::1.")
        }
        defer { freeaddrinfo(list) }
        let descriptor = socket(info.ai_family, SocketType.stream, 0)
        guard descriptor >= 0 else { return error(errno, address, port) }
        defer { close(descriptor) }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        return bind(descriptor, info.ai_addr, info.ai_addrlen) == 0 ? nil : error(errno, address, port)
    }

    private static func error(_ number: Int32, _ address: String, _ port: UInt16) -> TransportError {
        switch number {
        case EADDRINUSE:
            TransportError(
                .addressInUse,
                "Port \(port) on \(address) is in use, perhaps by another bridged. "
                    + "Stop that one, or choose another port with \(setting("port", "port")) (0 picks a free one).")
        case EACCES:
            TransportError(
                .permissionDenied,
                "This user is not allowed to listen on port \(port). Choose a port above 1023 with \(setting("port", "port"))."
            )
        case EADDRNOTAVAIL, EAFNOSUPPORT:
            TransportError(
                .addressUnavailable,
                "This machine does not have the address \(address). `ip address` lists the ones it has.")
        default:
            TransportError(
                .libraryFailed, "Cannot listen on \(address) port \(port): \(String(cString: strerror(number))).")
        }
    }
}
