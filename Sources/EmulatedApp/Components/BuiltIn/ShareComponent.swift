import BridgeProtocol
import BridgeServer

/// The system's share sheet.
final class ShareComponent: BridgeComponent, EmulatedComponent {
    private struct Item: Decodable {
        let url: String?
        let title: String?
        let text: String?
    }

    override class var name: String { "share" }

    class var profile: ComponentProfile {
        ComponentProfile(
            "The system's share sheet, and a button that opens it.",
            events: [
                .init("connect", data: "url?, title?, text?", "Shows the button."),
                .init("share", data: "url?, title?, text?", "Opens the sheet. Replies when it closes."),
                .init("disconnect", "Removes the button and the sheet."),
            ],
            state: "`{url, title, text, isSheetUp}`",
            actions: [
                .init("tap", "Taps the button, which opens the sheet.") { (share: ShareComponent, _) in
                    guard share.item != nil else {
                        throw ActionRefusal("the screen has no share button. Its page sends connect to get one.")
                    }
                    share.isSheetUp = true
                },
                .init("leave", "Closes the sheet, with or without sharing.") { (share: ShareComponent, _) in
                    try share.leave()
                },
            ])
    }

    private var item: Item?
    private var isSheetUp = false
    /// Whether the page opened the sheet and waits until it closes.
    private var isAwaited = false

    var state: JSONValue? {
        item.map {
            [
                "url": .init(text: $0.url), "title": .init(text: $0.title), "text": .init(text: $0.text),
                "isSheetUp": .bool(isSheetUp),
            ]
        }
    }

    override func onReceive(message: Message) {
        item = message.event == "disconnect" ? nil : message.data()
        isAwaited = message.event == "share"
        isSheetUp = isAwaited && item != nil
    }

    private func leave() throws {
        guard isSheetUp else { throw ActionRefusal("no share sheet is open.") }
        isSheetUp = false
        if isAwaited { reply(to: "share") }
    }
}
