// A daemon with a message type of its own.
import BridgeProtocol
import BridgeServer
import EmulatedApp
import Foundation

/// What the page posts: {name: "ShareSheet", url: "https://…", title: "…"}
struct ShareSheet: ScriptMessage {
    static let name = "ShareSheet"
    let url: URL
    let title: String?
}

let server = try BridgeServer()
let app = try EmulatedApp(server: server)

app.dispatcher.on(ShareSheet.self) { message, context in
    print("\(context.page) shares \(message.url)")
    context.evaluate(JavaScriptCall("window.bridge.shared", message.url.absoluteString))
}

try server.runOnMainThread { address in print("Open \(address.url)demo/") }
