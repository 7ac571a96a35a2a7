/// What a test expects of an element. A property that is nil may be anything.
public struct ElementExpectation: Sendable, Equatable {
    public let element: ElementTarget
    public let visible: Bool?
    public let enabled: Bool?
    public let checked: Bool?
    /// The contents of a field, or the label or value of the option that is selected.
    public let value: String?
    /// A part of the text.
    public let contains: String?
    /// How many such elements there are.
    public let count: Int?

    /// - Parameter visible: if nothing else is expected, the element must be visible.
    public init(
        _ element: ElementTarget, visible: Bool? = nil, enabled: Bool? = nil, checked: Bool? = nil,
        value: String? = nil, contains: String? = nil, count: Int? = nil
    ) {
        self.element = element
        let isOnly = enabled == nil && checked == nil && value == nil && contains == nil && count == nil
        self.visible = visible ?? (isOnly ? true : nil)
        (self.enabled, self.checked, self.value, self.contains, self.count) = (enabled, checked, value, contains, count)
    }

    /// What is expected, without the element: the argument of `unmet` in `web/elements.js`.
    package var json: JSONValue {
        let members: [JSONValue.Member?] = [
            visible.map { .init("visible", .bool($0)) }, enabled.map { .init("enabled", .bool($0)) },
            checked.map { .init("checked", .bool($0)) }, value.map { .init("value", .string($0)) },
            contains.map { .init("contains", .string($0)) }, count.map { .init("count", .number(Double($0))) },
        ]
        return .object(members.compactMap(\.self))
    }

    /// The names of the members of ``json``.
    package static let keys = ["visible", "enabled", "checked", "value", "contains", "count"]
}

extension ElementExpectation: CustomStringConvertible {
    public var description: String { "\(element) \(json.text)" }
}

/// What a test expects of the page.
public enum PageExpectation: Sendable, Equatable {
    case element(ElementExpectation)
    /// A part of the text that the page shows.
    case text(String)
    /// A path, or a whole URL. `*` stands for any characters.
    case url(String)
    /// `document.title`. `*` stands for any characters.
    case title(String)

    /// Reads the params of `page.expect`.
    init(_ params: inout ParamsReader) throws(RPCError) {
        let element = try params.optional(
            "element", .element, "An element: \(ElementTarget.forms). Without other members it must be visible.")
        let visible = try params.optional(
            "visible", .bool, "Whether it can be seen; an element that is missing cannot.")
        let enabled = try params.optional("enabled", .bool, "Whether it is enabled.")
        let checked = try params.optional("checked", .bool, "Whether it is checked.")
        let value = try params.optional("value", .string, "What the field contains, or the option that is selected.")
        let count = try params.optional("count", .count, "How many such elements there are.")
        let contains = try params.optional("contains", .string, "A part of the element's text.")
        let text = try params.optional("text", .string, "A part of the text that the page shows.")
        let url = try params.optional("url", .string, "The page's path or URL, with * for any characters.")
        let title = try params.optional("title", .string, "The page's title, with * for any characters.")
        let isAboutElement =
            [visible, enabled, checked].contains { $0 != nil } || value ?? contains != nil || count != nil
        guard element != nil || !isAboutElement else {
            throw .invalidParams(at: "/element", "visible, enabled, checked, value, contains and count need an element")
        }
        switch (element, text, url, title) {
        case (let element?, nil, nil, nil):
            self = .element(
                ElementExpectation(
                    element, visible: visible, enabled: enabled, checked: checked, value: value,
                    contains: contains, count: count))
        case (nil, let text?, nil, nil): self = .text(text)
        case (nil, nil, let url?, nil): self = .url(url)
        case (nil, nil, nil, let title?): self = .title(title)
        default:
            throw .invalidParams(
                at: "", "expected one of element, text, url and title")
        }
    }
}

extension PageExpectation: CustomStringConvertible {
    public var description: String {
        switch self {
        case .element(let element): "an element \(element)"
        case .text(let text): "the text \(JSONValue.string(text).text)"
        case .url(let url): "the URL \(url)"
        case .title(let title): "the title \(JSONValue.string(title).text)"
        }
    }
}
