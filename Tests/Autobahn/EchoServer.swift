import BridgeServer
import Foundation

/// Sends each WebSocket message back, by the daemon's transport. `scripts/autobahn` builds it, with `BRIDGED_ECHO`. It prints its
/// port, and serves until it is killed.
@main enum EchoServer {
    @MainActor static func main() throws {
        var configuration = BridgeServer.Configuration()
        configuration.addresses = ["127.0.0.1"]
        // Nothing attaches here, and some cases send slowly.
        configuration.limits.handshakeTimeout = .seconds(3_600)
        configuration.limits.attachTimeout = .seconds(3_600)
        configuration.limits.pongTimeout = .seconds(3_600)
        let server = try BridgeServer(configuration)
        try server.runOnMainThread { address in
            print(address.port)
            fflush(nil)
        }
    }
}
