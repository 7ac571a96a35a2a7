public import BridgeServer
import Foundation

/// A shop that takes orders from pages.
@MainActor public final class Shop {
    public struct SoldOut: LocalizedError {
        let item: String
        public var errorDescription: String? { "There is no more \(item)." }
    }

    public private(set) var looks: [String] = []
    private var stock = ["tea": 2]
    private var orders = 0

    public init() {}

    /// Registers the handlers of the shop's messages, which pages post to `shop`.
    public func register(with server: BridgeServer) {
        let dispatcher = ScriptMessageDispatcher()
        dispatcher.on(Looked.self) { [self] message, _ in looks.append(message.item) }
        dispatcher.reply(to: PlaceOrder.self) { [self] order, context async throws -> Receipt in
            let receipt = try await place(order)
            try await context.evaluate(JavaScriptCall("window.shop.left", stock[order.item, default: 0]))
            return receipt
        }
        server.addHandler("shop", .dispatcher(dispatcher))
        server.addHandler("log") { message in print("\(message.url) logs \(message.body)") }
    }

    private func place(_ order: PlaceOrder) async throws -> Receipt {
        try await Task.sleep(for: .milliseconds(1))
        guard let left = stock[order.item], left > 0 else { throw SoldOut(item: order.item) }
        stock[order.item] = left - 1
        orders += 1
        return Receipt(
            number: orders, due: order.due, total: order.size == .large ? Decimal(4.5) : 3,
            signatureBytes: order.signature.count, recipient: order.address?.recipient?.name, extra: order.extra)
    }
}
