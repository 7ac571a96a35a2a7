import BridgeProtocol
import BridgeTraffic

/// The resource that explains the filters of `traffic_query` and `messages_wait`.
enum MCPFilterLanguage {
    private static let uri = "bridged://filter-language"
    private static let mimeType = "text/markdown"

    static let description: JSONValue = [
        "uri": .string(uri), "name": "filter-language", "title": "The filter language",
        "description": "How to write the param filter of traffic_query and messages_wait.",
        "mimeType": .string(mimeType),
    ]

    static func read(_ uri: String?) throws(RPCError) -> JSONValue {
        guard uri == self.uri else {
            throw .invalidParams(at: "/uri", "there is no such resource; resources/list lists them")
        }
        return ["contents": [["uri": .string(self.uri), "mimeType": .string(mimeType), "text": .string(text)]]]
    }

    private static var text: String {
        let fields = TrafficFilter.Field.allCases.map { field in
            "- `\(field.rawValue)`: \(meaning(of: field))"
        }
        return """
            # The filter language

            A filter has terms with spaces between them, and all must hold. A term is `field:value`, or a word, which is
            searched in the record's whole line, ignoring case. `-` before a term negates it, commas separate alternative
            values, and quotation marks enclose spaces and commas.

            \(fields.joined(separator: "\n"))

            Examples:

            - `kind:message verdict:dropped`: messages that no handler took
            - `kind:request -status`: requests whose line does not contain the word status
            - `kind:problem,console "is not defined"`: problems and console entries with this text
            """
    }

    private static func meaning(of field: TrafficFilter.Field) -> String {
        func list<Value: CaseIterable & RawRepresentable<String>>(_: Value.Type) -> String {
            Value.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")
        }
        return switch field {
        case .direction: list(TrafficRecord.Direction.self)
        case .handler: "the handler of a message or reply, such as `nativeApp`"
        case .name: "the name in the body of a message, such as `ActionButton`"
        case .node: "a daemon of a cluster"
        case .page: "a page's id, such as `p3`"
        case .webView: "a web view's name, such as `main` or `modal`"
        case .kind: list(TrafficRecord.Kind.self)
        case .verdict: list(Verdict.Outcome.self)
        case .reason: "why a message was dropped, or the code of a problem"
        case .text: "the record's whole line, ignoring case, as for a word without a field"
        }
    }
}
