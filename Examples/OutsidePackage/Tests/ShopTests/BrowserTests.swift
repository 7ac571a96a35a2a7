import BridgeServer
import BridgeTesting
import BridgeTestingTraits
import Foundation
import Shop
import Testing

/// The shop's page in real browsers.
@MainActor @Suite(.serialized, .timeLimit(.minutes(3)), .bridgedTraffic) struct BrowserTests {
    private static let html = """
        <!DOCTYPE html>
        <title>Shop</title>
        <button id="order">Order</button>
        <script>
          window.shop = { left(count) { document.title = `${count} left` } }
          const order = (item) => webkit.messageHandlers.shop.postMessage({
            name: "PlaceOrder", item, size: "small", due: new Date(60_000), signature: btoa("Zoe"),
            address: { street: "Hill 1", recipient: { name: "Zoe" } }, extra: { at: new Date(5_000) }
          })
          document.getElementById("order").onclick = () => order("tea")
          webkit.messageHandlers.shop.postMessage({ name: "Looked", item: "tea" })
        </script>
        """

    @Test(arguments: Browser.Engine.allCases.filter { $0.executable != nil })
    func ordersTea(_ engine: Browser.Engine) async throws {
        try await withBridgedApp(in: engine) { app in
            let shop = Shop()
            shop.register(with: app.server)
            try await app.open(app.serve(Self.html))
            #expect(try await app.nextMessage(Looked.self).item == "tea")
            #expect(shop.looks == ["tea"])
            try await app.tap("#order")
            let order = try await app.nextMessage(PlaceOrder.self) { $0.size == .small }
            #expect(order.due == Date(timeIntervalSince1970: 60) && order.signature == Data("Zoe".utf8))
            try await app.wait(until: "document.title == '1 left'")
            let receipt = try await app.evaluate("order('tea')", as: Receipt.self, awaitingPromise: true)
            #expect(receipt.number == 2 && receipt.recipient == "Zoe")
            #expect(receipt.extra?["at"]?.date == Date(timeIntervalSince1970: 5))
            let error = try await app.callAsync(
                "try { await order(item) } catch (error) { return error.message }", arguments: ["item": "gold"],
                as: String.self)
            #expect(error == "There is no more gold.")
        }
    }
}
