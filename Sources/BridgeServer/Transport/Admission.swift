import Foundation

/// Counts connections, in all and of each address, and says when there are enough. A value without I/O.
struct Admission {
    private let limits: BridgeServer.Configuration.Limits
    private var total = 0
    private var counts: [PeerAddress: Int] = [:]

    init(limits: BridgeServer.Configuration.Limits) { self.limits = limits }

    /// Why one more connection of this address is turned away; nil lets it in.
    func refusal(of address: PeerAddress) -> Refusal? {
        if total >= limits.connections {
            return Refusal(
                code: .tooManyConnections,
                text: "A connection of \(address.text) was turned away: there are \(total), and no more are let in.",
                hint: "Close pages that are no longer needed, or start the daemon with a higher --max-connections.")
        }
        let limit = limits.connectionsPerAddress ?? limits.connections
        guard counts[address, default: 0] >= limit else { return nil }
        return Refusal(
            code: .tooManyConnections,
            text: "A connection of \(address.text) was turned away: it has \(limit) already.",
            hint: "Close pages there, or start the daemon with a higher --max-connections-per-address.")
    }

    mutating func enter(_ address: PeerAddress) {
        total += 1
        counts[address, default: 0] += 1
    }

    mutating func leave(_ address: PeerAddress) {
        total -= 1
        let left = counts[address, default: 0] - 1
        counts[address] = left > 0 ? left : nil
    }
}

/// Where a connection comes from: an IPv4 address, or an IPv6 network of 64 bits, because a machine has all of one.
struct PeerAddress: Hashable, Sendable {
    let text: String

    init(text: String) { self.text = text }

    /// Of an open socket.
    init(socket: Int32) {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        text = withUnsafeMutableBytes(of: &storage) { bytes in
            guard let address = bytes.baseAddress,
                getpeername(socket, address.assumingMemoryBound(to: sockaddr.self), &size) == 0
            else { return "an unknown address" }
            switch Int32(address.assumingMemoryBound(to: sockaddr.self).pointee.sa_family) {
            case AF_INET:
                return PeerAddress.printed(AF_INET, &address.assumingMemoryBound(to: sockaddr_in.self).pointee.sin_addr)
            case AF_INET6:
                var host = address.assumingMemoryBound(to: sockaddr_in6.self).pointee.sin6_addr
                let exact = PeerAddress.printed(AF_INET6, &host)
                guard exact != "::1" else { return exact }
                withUnsafeMutableBytes(of: &host) { bytes in
                    for index in 8..<bytes.count { bytes[index] = 0 }
                }
                return PeerAddress.printed(AF_INET6, &host) + "/64"
            default: return "an unknown address"
            }
        }
    }

    /// The shortest form of an address in digits (RFC 5952), which browsers write; nil for what is none.
    static func canonical(_ text: String) -> String? {
        for family in [AF_INET, AF_INET6] {
            var address = in6_addr()
            if inet_pton(family, text, &address) == 1 { return printed(family, &address) }
        }
        return nil
    }

    private static func printed(_ family: Int32, _ address: UnsafeRawPointer) -> String {
        var characters = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(family, address, &characters, socklen_t(characters.count)) != nil else { return "" }
        return String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
