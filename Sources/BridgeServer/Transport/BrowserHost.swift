import Foundation

extension BridgeServer.Address {
    /// What a browser is to call the daemon: `localhost`, or where it listens beyond this machine the address by which
    /// others reach it. An IPv6 address has its brackets.
    public var browserHost: String {
        guard pageToken != nil, let first = addresses.first else { return "localhost" }
        let host = ["0.0.0.0", "::"].contains(first) ? BridgeServer.Address.ofThisMachine(like: first) : first
        return host.map { $0.contains(":") ? "[\($0)]" : $0 } ?? "localhost"
    }

    /// The first address of the same family that is neither the loopback's nor one within a link, which needs the
    /// link's name.
    private static func ofThisMachine(like any: String) -> String? {
        Host.current().addresses.first { address in
            address.contains(":") == any.contains(":") && !address.hasPrefix("127.") && address != "::1"
                && !address.lowercased().hasPrefix("fe80")
        }
    }
}
