// An interface object, as Android's `addJavascriptInterface` gives it to pages (docs/write-a-handler.md).
import BridgeProtocol
import BridgeServer

struct NothingToBuy: Error {}

var device = JavascriptInterface()
device.method("model") { "Pixel 9" }
device.method("add") { (first: Double, second: Double) in first + second }
device.method("buy") { (item: String, count: Int) throws -> Bool in
    guard count > 0 else { throw NothingToBuy() }
    print("\(count) \(item)")
    return true
}
device.method(
    "greet",
    withContext: { context, name in
        context.evaluate(JavaScriptCall("window.greeted", "Hello, \(name as String)"))
    })

let server = try BridgeServer()
server.addJavascriptInterface(device, name: "Device")
try server.runOnMainThread { address in print("<script src=\"\(address.url)bridge.js\"></script>") }
