import Foundation

/// The address under which a connection is counted: an IPv4 address, `::1`, or the /64 network of any other IPv6
/// address, because one machine can use all addresses of such a network.
struct PeerAddress: Hashable, Sendable {
    private static let unknown = "an unknown address"

    let text: String

    init(text: String) { self.text = text }

    /// Reads the address of an open socket's peer.
    init(socket: Int32) {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        text = withUnsafeMutableBytes(of: &storage) { bytes in
            guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                getpeername(socket, address, &size) == 0, let text = PeerAddress.text(of: address)
            else { return PeerAddress.unknown }
            return PeerAddress.network(of: text)
        }
    }

    /// The /64 network of an IPv6 address; any other address, and `::1`, as it is.
    private static func network(of text: String) -> String {
        var host = in6_addr()
        guard text != "::1", inet_pton(AF_INET6, text, &host) == 1 else { return text }
        withUnsafeMutableBytes(of: &host) { bytes in
            for index in 8..<bytes.count { bytes[index] = 0 }
        }
        return PeerAddress.text(AF_INET6, &host) + "/64"
    }

    /// The shortest form of an IP address (RFC 5952), as browsers write it; nil if the text is not an IP address.
    static func canonical(_ text: String) -> String? {
        for family in [AF_INET, AF_INET6] {
            var address = in6_addr()
            if inet_pton(family, text, &address) == 1 { return self.text(family, &address) }
        }
        return nil
    }

    /// The text of an IP address in the system's form; nil for any other address.
    static func text(of address: UnsafePointer<sockaddr>?) -> String? {
        guard let address else { return nil }
        let bytes = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            var host = bytes.assumingMemoryBound(to: sockaddr_in.self).pointee.sin_addr
            return text(AF_INET, &host)
        case AF_INET6:
            var host = bytes.assumingMemoryBound(to: sockaddr_in6.self).pointee.sin6_addr
            return text(AF_INET6, &host)
        default: return nil
        }
    }

    private static func text(_ family: Int32, _ address: UnsafeRawPointer) -> String {
        var characters = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(family, address, &characters, socklen_t(characters.count)) != nil else { return "" }
        return String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
