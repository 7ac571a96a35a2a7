import BridgeServer
import BridgeTesting
import Foundation
import Shop
import Testing

/// The shop's handlers without a browser.
@MainActor struct HandlerTests {
    private let page: PageStandIn
    private let shop = Shop()

    init() throws {
        let server = try BridgeServer()
        shop.register(with: server)
        page = PageStandIn(server)
    }

    private let order: ScriptValue = [
        "name": "PlaceOrder", "item": "tea", "size": "large", "due": .date(Date(timeIntervalSince1970: 60)),
        "signature": "AAEC", "address": ["street": "Hill 1", "recipient": nil],
        "extra": ["gift": true, "wrapped": .date(Date(timeIntervalSince1970: 5))],
    ]

    @Test func repliesWithAReceipt() async throws {
        let receipt = try await page.post(order, to: "shop").decode(Receipt.self)
        #expect(receipt.number == 1 && receipt.total == 4.5 && receipt.signatureBytes == 3)
        #expect(receipt.due == Date(timeIntervalSince1970: 60) && receipt.recipient == nil)
        #expect(receipt.extra?["wrapped"]?.date == Date(timeIntervalSince1970: 5))
        #expect(page.scripts == ["window.shop.left(1)"])
    }

    @Test func rejectsOrders_whenNothingIsLeft() async throws {
        for _ in 1...2 { try await page.post(order, to: "shop") }
        let error = await #expect(throws: RPCError.self) { try await page.post(order, to: "shop") }
        #expect(error?.message == "There is no more tea.")
    }

    @Test func saysWhatIsWrongWithAMessage() async throws {
        let error = await #expect(throws: RPCError.self) {
            try await page.post(["name": "PlaceOrder", "item": "tea", "size": "huge"], to: "shop")
        }
        #expect(error?.message.contains(#"at /size: expected one of "small", "large", found string "huge""#) == true)
    }

    @Test func remembersWhatUsersLookAt() async throws {
        try await page.post(["name": "Looked", "item": "coffee"], to: "shop")
        #expect(shop.looks == ["coffee"])
    }
}
