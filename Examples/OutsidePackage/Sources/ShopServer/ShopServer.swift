import BridgeServer
import Shop

/// Serves the shop's handlers until Return is pressed.
@main struct ShopServer {
    static func main() async throws {
        let server = try await BridgeServer()
        let shop = await Shop()
        await shop.register(with: server)
        let address = try await server.start()
        print("Put this first into the head of a page: <script src=\"\(address.url)bridge.js\"></script>")
        _ = await Task.detached { readLine() }.value
        await server.stop()
    }
}
