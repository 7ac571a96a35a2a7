import Foundation

extension BridgeServer.Address {
    /// The host with which a browser reaches the daemon: `localhost`, or an address that other machines can reach if
    /// the daemon listens beyond this machine. An IPv6 address is in brackets.
    public var browserHost: String {
        guard pageToken != nil, let first = addresses.first else { return "localhost" }
        let host = ["0.0.0.0", "::"].contains(first) ? BridgeServer.Address.ofThisMachine(like: first) : first
        return host.map { $0.contains(":") ? "[\($0)]" : $0 } ?? "localhost"
    }

    /// This machine's first address of the same family (IPv4 or IPv6) that is neither a loopback address nor a
    /// link-local one. A link-local address works only together with the name of its link.
    private static func ofThisMachine(like any: String) -> String? {
        Host.current().addresses.first { address in
            address.contains(":") == any.contains(":") && !address.hasPrefix("127.") && address != "::1"
                && !address.lowercased().hasPrefix("fe80")
        }
    }
}
