/// How a test names an element of the page: as its user does, or with a CSS selector. It means the first one that fits;
/// all but those of a CSS selector must be shown. `web/elements.js` finds it.
public struct ElementTarget: Sendable, Equatable {
    private enum Locator: Sendable, Equatable {
        case css(String)
        case role(String, name: String?)
        case label(String), text(String), placeholder(String), testID(String)
    }

    private let locator: Locator
    /// The element around it, if it is named. An array, because a structure cannot contain itself.
    private var outer: [ElementTarget] = []
    private var index: Int?

    public static func css(_ selector: String) -> ElementTarget { ElementTarget(locator: .css(selector)) }
    /// - Parameters:
    ///   - role: an ARIA role, such as `button`.
    ///   - name: the accessible name; nil for any.
    public static func role(_ role: String, name: String? = nil) -> ElementTarget {
        ElementTarget(locator: .role(role, name: name))
    }
    /// The text of a form control's label.
    public static func label(_ text: String) -> ElementTarget { ElementTarget(locator: .label(text)) }
    /// The whole text of the element.
    public static func text(_ text: String) -> ElementTarget { ElementTarget(locator: .text(text)) }
    public static func placeholder(_ text: String) -> ElementTarget { ElementTarget(locator: .placeholder(text)) }
    /// The attribute `data-testid`.
    public static func testID(_ id: String) -> ElementTarget { ElementTarget(locator: .testID(id)) }

    /// The same element, if it is inside another one.
    public func within(_ other: ElementTarget) -> ElementTarget {
        var target = self
        target.outer = [other]
        return target
    }

    /// One of several elements.
    /// - Parameter index: counts from 0, and from the end if it is negative: -1 is the last one.
    public func nth(_ index: Int) -> ElementTarget {
        var target = self
        target.index = index
        return target
    }

    /// The selector, if it is nothing else.
    package var selector: String? {
        if case .css(let selector) = locator, outer.isEmpty, index == nil { selector } else { nil }
    }

    package var json: JSONValue {
        if let selector { return .string(selector) }
        var members: [JSONValue.Member] =
            switch locator {
            case .css(let selector): [.init("css", .string(selector))]
            case .role(let role, let name):
                [.init("role", .string(role))] + (name.map { [.init("name", .string($0))] } ?? [])
            case .label(let text): [.init("label", .string(text))]
            case .text(let text): [.init("text", .string(text))]
            case .placeholder(let text): [.init("placeholder", .string(text))]
            case .testID(let id): [.init("testId", .string(id))]
            }
        if let outer = outer.first { members.append(.init("within", outer.json)) }
        if let index { members.append(.init("nth", .number(Double(index)))) }
        return .object(members)
    }

    /// The names of the members of ``json``.
    package static let keys = ["css", "role", "name", "label", "text", "placeholder", "testId", "within", "nth"]
    package static let forms =
        "a CSS selector, or one of {role: button, name: Save}, {label: Email}, {text: Sign in}, {placeholder: Search}, "
        + "{testId: save} and {css: \"#save\"}, with within: ELEMENT and nth: 0 if wanted"

    /// - Parameter text: the text of a member; nil if there is none.
    /// - Returns: nil unless the members name an element in exactly one way.
    package init?<Failure: Error>(_ text: (String) throws(Failure) -> String?) throws(Failure) {
        let (role, name) = (try text("role"), try text("name"))
        let locators: [Locator?] = [
            role.map { .role($0, name: name) }, try text("css").map { .css($0) }, try text("label").map { .label($0) },
            try text("text").map { .text($0) }, try text("placeholder").map { .placeholder($0) },
            try text("testId").map { .testID($0) },
        ]
        let found = locators.compactMap(\.self)
        guard let locator = found.first, found.count == 1, role != nil || name == nil else { return nil }
        self.init(locator: locator)
    }

    private init(locator: Locator) { self.locator = locator }

    /// Reads what ``json`` writes.
    package init?(_ json: JSON) {
        if let selector = json.string {
            self.init(locator: .css(selector))
            return
        }
        var isKnown = true
        json.forEachMember { name, value in
            let isText = value.kind == .string || ["within", "nth"].contains(name)
            isKnown = isKnown && isText && ElementTarget.keys.contains(name)
        }
        guard isKnown else { return nil }
        self.init { json[$0]?.string }
        if let within = json["within"] {
            guard let within = ElementTarget(within) else { return nil }
            outer = [within]
        }
        if let nth = json["nth"] {
            guard let number = nth.wholeNumber else { return nil }
            index = number
        }
    }
}

extension ParamType where Value == ElementTarget {
    static let element = ParamType(
        ["type": ["string", "object"]], expectation: ElementTarget.forms, sample: .css("")
    ) { ElementTarget($0) }
}

extension ElementTarget: CustomStringConvertible {
    public var description: String { selector ?? json.text }
}
