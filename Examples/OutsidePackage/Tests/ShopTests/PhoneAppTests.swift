import BridgeTesting
import Foundation
import PhoneApp
import Testing

/// The iOS app's own code, with its page in a real browser.
@MainActor @Suite(.serialized, .timeLimit(.minutes(3))) struct PhoneAppTests {
    private static let html = """
        <!DOCTYPE html>
        <script>
          window.showBadge = (count) => { document.title = `${count} orders` }
          window.basket = async (limit) => ["tea", "coffee"].slice(0, limit)
          const order = (item) => webkit.messageHandlers.orders.postMessage({ item, count: 2, due: new Date(60_000) })
          const stock = (item) => webkit.messageHandlers.stock.postMessage(item)
        </script>
        """

    @Test(arguments: Browser.Engine.allCases.filter { $0.executable != nil })
    func ordersAndAnswers(_ engine: Browser.Engine) async throws {
        try await withBridgedApp(in: engine, app: .none) { app in
            let screen = OrderViewController(stock: ["tea": 3]) { $0.bridgeServer = app.server }
            try await app.open(app.serve(Self.html))
            try await app.run("order('tea')")
            try await app.wait(until: "document.title == '1 orders'")
            #expect(screen.orders.map(\.item) == ["tea"])
            #expect(screen.orders.first?.due == Date(timeIntervalSince1970: 60))
            #expect(try await app.evaluate("stock('tea')", as: Stock.self, awaitingPromise: true).count == 3)
            #expect(try await app.evaluate("confirm('Sure?')") as Bool)
            #expect(try await app.evaluate("phoneApp.version") == "1.0")
            #expect(try await screen.basket() == ["tea", "coffee"])
        }
    }

    private struct Stock: Decodable { let count: Int }
}
