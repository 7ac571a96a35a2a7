import BridgeProtocol
import BridgeServer
import Foundation

/// A reader and writer of NFC tags. The tag that is held to the phone is `Device.tag`.
///
/// The native half of bridge-components is not public. `web/controllers/nfc_controller.js` has the events and the reply, and
/// `docs/components/nfc.md` says that tags have texts and URLs.
final class NFCComponent: BridgeComponent, EmulatedComponent {
    private struct Write: Decodable { let value: String }

    private enum Task: Equatable {
        case read
        case write(String)
    }

    override class var name: String { "nfc" }

    class var profile: ComponentProfile {
        ComponentProfile(
            "A reader of NFC tags. It has one, unless `hold` gives it another.",
            events: [
                .init("read", "Replies with `{type, value}` when there is a tag; `type` is `text` or `url`."),
                .init("write", data: "value", "Writes to the tag."),
            ],
            state: "`{isReading, isWriting, tag}`",
            actions: [
                .init(
                    "hold",
                    "Holds a tag with this value to the phone; without an argument, no tag. The phone waits until there is one.",
                    optional: ["value"],
                    app: { app, arguments in
                        app.device.tag = arguments["value"]
                        app.visibleComponent(NFCComponent.self)?.touch()
                    }),
                .init("cancel", "Ends what waits for a tag, which sends no reply.") { (reader: NFCComponent, _) in
                    guard reader.task != nil else { throw ActionRefusal("nothing waits for a tag.") }
                    reader.task = nil
                },
            ])
    }

    private var task: Task?

    var state: JSONValue? {
        [
            "isReading": .bool(task == .read), "isWriting": .bool(task != nil && task != .read),
            "tag": .init(text: app?.device.tag),
        ]
    }

    override func onReceive(message: Message) {
        if message.event == "read" {
            task = .read
        } else {
            guard let data: Write = message.data() else { return }
            task = .write(data.value)
        }
        touch()
    }

    private func touch() {
        guard let task, let app, let tag = app.device.tag else { return }
        self.task = nil
        switch task {
        case .read: reply(to: "read", with: ["type": NFCComponent.isURL(tag) ? "url" : "text", "value": tag])
        case .write(let value): app.device.tag = value
        }
    }

    private static func isURL(_ text: String) -> Bool { URL(string: text)?.scheme != nil }
}
