import BridgeProtocol
import BridgeServer

/// A search field in the screen's bar.
final class SearchComponent: BridgeComponent, EmulatedComponent {
    private struct Connect: Decodable { let placeholder: String? }

    override class var name: String { "search" }

    class var profile: ComponentProfile {
        ComponentProfile(
            "A search field in the bar.",
            events: [
                .init("connect", data: "placeholder?", "Shows the field. Typing replies with `{query}`."),
                .init("disconnect", "Removes the field."),
            ],
            state: "`{placeholder, query}`",
            actions: [
                .init("type", "Types into the field, which then has exactly this text.", required: ["query"]) {
                    (search: SearchComponent, arguments) in try search.type(arguments["query", default: ""])
                }
            ])
    }

    private var field: Connect?
    private var query = ""

    var state: JSONValue? {
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
