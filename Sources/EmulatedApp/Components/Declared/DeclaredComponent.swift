public import BridgeProtocol

/// A bridge component without Swift: what the app shows and replies for each event, as YAML or JSON declares it
/// (docs/write-a-component.md).
///
/// ```yaml
/// ticket-scanner:
///   connect: {barButton: {title: Scan, icon: qrcode}}
///   scan: {reply: {code: "42"}, delay: 300ms}
/// ```
public struct DeclaredComponent: Sendable {
    public let name: String
    private(set) var events: [Event]

    struct Event: Sendable {
        let name: String
        /// What the app does at the first message, the second one, and so on. The last one stays.
        let responses: [ComponentResponse]
    }

    /// Reads a component: an object with its events.
    public init(_ name: String, _ value: JSONValue) throws(DeclarationError) {
        try self.init(name, DeclarationReader(value, at: JSONPointer()))
    }

    private init(_ name: String, _ reader: DeclarationReader) throws(DeclarationError) {
        // The user agent lists the names between brackets, with spaces between them.
        guard name.wholeMatch(of: /[A-Za-z0-9_\-]+/) != nil, name.utf8.count <= DeclaredComponent.longestName else {
            throw reader.error(
                "\(quoted(name)) cannot be the name of a component: expected letters, digits, - and _, as in ticket-scanner."
            )
        }
        self.name = name
        events = []
        for (event, value) in try reader.members() {
            events.append(Event(name: event, responses: try value.responses()))
        }
        guard !events.isEmpty else {
            throw reader.error("A component needs an event: {connect: {barButton: {title: Scan}}}, or {connect: {}}.")
        }
    }

    private static let longestName = 100

    /// Reads components: an object with each one's events by its name.
    public static func all(in value: JSONValue) throws(DeclarationError) -> [DeclaredComponent] {
        var components: [DeclaredComponent] = []
        for (name, value) in try DeclarationReader(value, at: JSONPointer()).members() {
            components.append(try DeclaredComponent(name, value))
        }
        return components
    }

    subscript(event: String) -> Event? { events.last { $0.name == event } }

    /// Replaces the events that another declaration has, too, and adds its other ones.
    mutating func merge(_ other: DeclaredComponent) {
        events.removeAll { other[$0.name] != nil }
        events += other.events
    }

    @MainActor var profile: ComponentProfile {
        ComponentProfile(
            "A declared component.", events: events.map { .init($0.name, "") }, actions: DeclaredParts.actions(on: self)
        )
    }

    /// The kinds of parts that the component can show.
    var kinds: Set<ComponentPart.Kind> {
        events.reduce(into: []) { kinds, event in
            for response in event.responses { kinds.formUnion(response.kinds) }
        }
    }
}

/// What the app does when a message comes or its user acts.
struct ComponentResponse: Sendable {
    enum Reply: Sendable {
        case nothing
        /// The data of the message.
        case echo
        /// Data, in which texts such as `$title` stand for members of the message's data.
        case data(JSONValue)
    }

    var reply = Reply.nothing
    /// The event whose last message gets the reply; nil for the message that led here.
    var event: String?
    var delay = Duration.zero
    var parts: [ComponentPart] = []
    var hides: Set<ComponentPart.Kind> = []
    /// Whether the bar buttons are enabled from now on; nil if that does not change.
    var enables: Bool?

    var kinds: Set<ComponentPart.Kind> {
        parts.reduce(into: []) { kinds, part in
            kinds.insert(part.kind)
            kinds.formUnion(part.response?.kinds ?? [])
            for item in part.items.fixed { kinds.formUnion(item.response?.kinds ?? []) }
        }
    }
}

/// A native part that a declared component shows.
struct ComponentPart: Sendable {
    enum Kind: String, Sendable, CaseIterable {
        case barButton, alert, menu, picker, textField
        /// A question that only a tester sees: which response shall it be?
        case choose

        /// Whether the part closes when the user has chosen one of its items.
        var isModal: Bool { self != .barButton && self != .textField }
    }

    enum Side: String, Sendable, CaseIterable { case left, right }

    struct Item: Sendable {
        let title: DeclaredText
        let response: ComponentResponse?
    }

    enum Items: Sendable {
        case fixed([Item])
        /// A list in the message's data: texts, or objects with a title.
        case ofMessage(DeclaredText)

        var fixed: [Item] { if case .fixed(let items) = self { items } else { [] } }
    }

    let kind: Kind
    var title: DeclaredText?
    var message: DeclaredText?
    var icon: DeclaredText?
    var placeholder: DeclaredText?
    var side = Side.right
    var items = Items.fixed([])
    /// What a tap, a choice or typing does, unless the item has a response of its own.
    var response: ComponentResponse?
}

/// A text, or several of which the first counts that the message's data has.
struct DeclaredText: Sendable {
    let alternatives: [JSONValue]

    func value(in data: JSONValue) -> JSONValue? {
        alternatives.lazy.compactMap { DeclaredText.resolve($0, in: data) }.first { !$0.isNull }
    }

    func text(in data: JSONValue) -> String? {
        switch value(in: data) {
        case .string(let text)?: text
        case .number?, .bool?: value(in: data)?.text
        default: nil
        }
    }

    /// The value with what its texts such as `$title` or `$user.name` stand for; nil for a text that stands for nothing.
    /// `$$` at the beginning is one `$`.
    static func resolve(_ value: JSONValue, in data: JSONValue) -> JSONValue? {
        switch value {
        case .string(let text) where text.hasPrefix("$$"): .string(String(text.dropFirst()))
        case .string(let text):
            if let path = text.wholeMatch(of: /\$([A-Za-z_][\w\-]*(?:\.[\w\-]+)*)/)?.1 {
                path.split(separator: ".").reduce(data as JSONValue?) { $0?[String($1)] }
            } else {
                value
            }
        case .array(let elements): .array(elements.map { resolve($0, in: data) ?? .null })
        case .object(let members):
            .object(members.compactMap { member in resolve(member.value, in: data).map { .init(member.key, $0) } })
        default: value
        }
    }
}
