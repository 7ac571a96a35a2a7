import BridgeProtocol
import BridgeServer

/// A search field in the screen's bar.
final class SearchComponent: BridgeComponent {
    private struct Connect: Decodable { let placeholder: String? }

    override class var name: String { "search" }

    override class var profile: ComponentProfile {
        ComponentProfile(
            "A search field in the screen's bar.",
            events: [
                .init("connect", data: "placeholder?", "The field shows. What the user types replies with `{query}`."),
                .init("disconnect", "The field goes."),
            ],
            state: "`{placeholder, query}`",
            actions: [
                .init("type", "The field has this text now.", required: ["query"]) {
                    (search: SearchComponent, arguments) in try search.type(arguments["query", default: ""])
                }
            ])
    }

    private var field: Connect?
    private var query = ""

    override var state: JSONValue? {
        field.map { ["placeholder": .init(text: $0.placeholder), "query": .string(query)] }
    }

    override func onReceive(message: Message) {
        query = ""
        field = message.event == "connect" ? message.data() : nil
    }

    private func type(_ text: String) throws {
        guard field != nil else {
            throw ActionRefusal("the screen has no search field. Its page sends connect to get one.")
        }
        query = text
        reply(to: "connect", with: ["query": text])
    }
}
