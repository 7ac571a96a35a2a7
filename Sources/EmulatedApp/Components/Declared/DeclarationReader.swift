public import BridgeProtocol

/// A mistake in the declaration of a component.
public struct DeclarationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The place of the mistake within the declaration.
    public let place: JSONPointer
    public let message: String

    /// The error with its place within the response to the event, which is the first part of the place.
    public var withinEvent: DeclarationError {
        DeclarationError(place: JSONPointer(tokens: Array(place.tokens.dropFirst())), message: message)
    }

    public var description: String { place.tokens.isEmpty ? message : "\(place): \(message)" }
}

/// A value of a declaration, with its place.
struct DeclarationReader {
    private let value: JSONValue
    private let place: JSONPointer

    init(_ value: JSONValue, at place: JSONPointer) { (self.value, self.place) = (value, place) }

    func error(_ message: String) -> DeclarationError { DeclarationError(place: place, message: message) }

    /// Makes the error of a value of another kind.
    private func mismatch(_ expected: String) -> DeclarationError { error("Expected \(expected), found \(summary).") }

    private var summary: String { value.isNull ? "nothing" : value.summary }

    /// Returns the members in their order.
    /// - Parameter keys: the allowed keys; nil to allow any.
    func members(_ keys: [String]? = nil) throws(DeclarationError) -> [(key: String, value: DeclarationReader)] {
        guard let members = value.members else { throw mismatch("a mapping") }
        var found: [(key: String, value: DeclarationReader)] = []
        for member in members {
            let reader = DeclarationReader(member.value, at: place.appending(member.key))
            if let keys, !keys.contains(member.key) {
                let nearest = EditDistance.nearest(to: member.key, in: keys).map { "Did you mean \"\($0)\"?" }
                throw reader.error(
                    "There is no key \"\(member.key)\" here. \(nearest ?? "There are \(keys.joined(separator: ", ")).")"
                )
            }
            found.append((member.key, reader))
        }
        return found
    }

    private func elements() -> [DeclarationReader]? {
        value.elements?.enumerated().map { DeclarationReader($1, at: place.appending("\($0)")) }
    }

    private func word() throws(DeclarationError) -> String {
        guard let text = value.string, !text.isEmpty else { throw mismatch("a text") }
        return text
    }

    private func oneOf<Value: RawRepresentable & CaseIterable>(
        _ type: Value.Type
    ) throws(DeclarationError) -> Value where Value.RawValue == String {
        let names = Value.allCases.map(\.rawValue)
        let word = try word()
        guard let value = Value(rawValue: word) else {
            let nearest = EditDistance.nearest(to: word, in: names).map { " Did you mean \"\($0)\"?" } ?? ""
            throw error("Expected one of \(names.joined(separator: ", ")), found \"\(word)\".\(nearest)")
        }
        return value
    }

    // MARK: Responses

    /// Reads one response, or several for one message after the other.
    func responses() throws(DeclarationError) -> [ComponentResponse] {
        guard let elements = elements() else { return [try response()] }
        guard !elements.isEmpty else { throw error("A list of responses needs one. {} is one that does nothing.") }
        var responses: [ComponentResponse] = []
        for element in elements { responses.append(try element.response()) }
        return responses
    }

    /// Those of which a response has one at most.
    private static let outcomes = ["reply", "error", "choose"]
    private static let keys =
        outcomes + ["event", "delay", "barButton", "alert", "menu", "picker", "textField", "hide", "enabled"]

    private func response() throws(DeclarationError) -> ComponentResponse {
        var response = ComponentResponse()
        let members = try members(DeclarationReader.keys)
        let outcomes = members.map(\.key).filter(DeclarationReader.outcomes.contains)
        guard outcomes.count <= 1 else { throw error("Give one of \(outcomes.joined(separator: " and ")).") }
        for (key, value) in members {
            switch key {
            case "reply": response.reply = try value.reply()
            case "error": response.reply = .data(["error": try value.failure()])
            case "event": response.event = try value.word()
            case "delay": response.delay = try value.duration()
            case "hide": response.hides = try value.kinds()
            case "enabled":
                guard let isEnabled = value.value.bool else { throw value.mismatch("true or false") }
                response.enables = isEnabled
            default:
                guard let kind = ComponentPart.Kind(rawValue: key) else { continue }
                response.parts.append(try kind == .choose ? value.choice() : value.part(kind))
            }
        }
        return response
    }

    private func reply() throws(DeclarationError) -> ComponentResponse.Reply {
        if value == "echo" { return .echo }
        guard value.members != nil else {
            let hint =
                value.elements == nil
                ? "" : " Responses in turn are a list: [{reply: {code: 1}}, {error: busy}]."
            throw error("Expected the reply's data, a mapping, or echo for the message's own; found \(summary).\(hint)")
        }
        return .data(value)
    }

    /// Native components have no errors, so they reply with data that says so.
    private func failure() throws(DeclarationError) -> JSONValue {
        guard value.string != nil || value.members != nil else { throw mismatch("a text or a mapping") }
        return value
    }

    private func duration() throws(DeclarationError) -> Duration {
        guard let duration = Duration(value.string ?? value.text) else { throw mismatch("a time such as 300ms or 5s") }
        return duration
    }

    private func kinds() throws(DeclarationError) -> Set<ComponentPart.Kind> {
        if value == "all" { return Set(ComponentPart.Kind.allCases) }
        var kinds: Set<ComponentPart.Kind> = []
        for element in elements() ?? [self] { kinds.insert(try element.oneOf(ComponentPart.Kind.self)) }
        return kinds
    }

    // MARK: Parts

    /// Reads the responses that the user chooses from, by their names.
    private func choice() throws(DeclarationError) -> ComponentPart {
        var items: [ComponentPart.Item] = []
        for (name, value) in try members() {
            let title = DeclaredText(alternatives: [.string(name)])
            items.append(ComponentPart.Item(title: title, response: try value.response()))
        }
        guard !items.isEmpty else {
            throw error("choose needs responses by their names: {works: {reply: {code: 1}}, denied: {error: denied}}.")
        }
        return ComponentPart(kind: .choose, items: .fixed(items))
    }

    private func part(_ kind: ComponentPart.Kind) throws(DeclarationError) -> ComponentPart {
        var part = ComponentPart(kind: kind)
        for (key, value) in try members(kind.keys) {
            switch key {
            case "title": part.title = try value.text()
            case "message": part.message = try value.text()
            case "icon": part.icon = try value.text()
            case "placeholder": part.placeholder = try value.text()
            case "side": part.side = try value.oneOf(ComponentPart.Side.self)
            case "items", "buttons": part.items = try value.items()
            default: part.response = try value.response()
            }
        }
        guard kind.isModal, part.items.fixed.isEmpty, case .fixed = part.items else { return part }
        guard kind == .alert else { throw error("A \(kind.rawValue) needs items: [by date, by name], or $items.") }
        part.items = .fixed([ComponentPart.Item(title: DeclaredText(alternatives: ["OK"]), response: nil)])
        return part
    }

    /// Reads a text, or a list of texts of which the first counts that the message's data has.
    private func text() throws(DeclarationError) -> DeclaredText {
        guard let elements = value.elements else {
            switch value {
            case .string, .number, .bool: return DeclaredText(alternatives: [value])
            default: throw mismatch("a text, a name such as $title, or a list of them")
            }
        }
        return DeclaredText(alternatives: elements)
    }

    private func items() throws(DeclarationError) -> ComponentPart.Items {
        guard let elements = elements() else {
            guard value.string?.hasPrefix("$") == true else {
                throw mismatch("a list such as [by date, by name], or a name such as $items")
            }
            return .ofMessage(DeclaredText(alternatives: [value]))
        }
        var items: [ComponentPart.Item] = []
        for element in elements { items.append(try element.item()) }
        return .fixed(items)
    }

    private func item() throws(DeclarationError) -> ComponentPart.Item {
        guard value.members != nil else { return ComponentPart.Item(title: try text(), response: nil) }
        let members = try members(["title", "tap"])
        guard let title = members.first(where: { $0.key == "title" })?.value else {
            throw error("An item needs a title: {title: Delete, tap: {reply: echo}}.")
        }
        let tap = members.first { $0.key == "tap" }?.value
        return ComponentPart.Item(title: try title.text(), response: try tap?.response())
    }
}

extension ComponentPart.Kind {
    fileprivate var keys: [String] {
        switch self {
        case .barButton: ["title", "icon", "side", "tap"]
        case .alert: ["title", "message", "buttons", "tap"]
        case .menu, .picker: ["title", "items", "tap"]
        case .textField: ["placeholder", "change"]
        case .choose: []
        }
    }
}
