// An app with a bridge component of its own.
import BridgeServer
import EmulatedApp

final class RatingComponent: BridgeComponent {
    override class var name: String { "rating" }

    private struct Ask: Decodable { let question: String }

    override func onReceive(message: Message) {
        guard message.event == "ask", let data: Ask = message.data() else { return }
        print("The page asks: \(data.question)")
        reply(to: "ask", with: ["stars": 5])
    }
}

var configuration = EmulatedApp.Configuration()
configuration.components.append(RatingComponent.self)
let server = try BridgeServer()
let app = try EmulatedApp(server: server, configuration)
try server.runOnMainThread { address in print("<script src=\"\(address.url)bridge.js\"></script>") }
