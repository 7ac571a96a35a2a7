import BridgeProtocol
import BridgeYAML

/// The arguments of the steps that act on elements.
extension ElementAction {
    static func fill(reading value: YAMLValue) throws(YAMLError) -> Self {
        let (element, members) = try ElementTarget.read(value, and: ["with"])
        guard let element, let text = members["with"] else {
            throw value.error(
                expected: "A fill names a field and its new text: {label: Email, with: me@example.com}")
        }
        return .fill(element, with: try text.text())
    }

    static func type(reading value: YAMLValue) throws(YAMLError) -> Self {
        if case .scalar = value.content { return .type(try value.text(), into: nil) }
        let (element, members) = try ElementTarget.read(value, and: ["with"])
        guard let text = members["with"] else {
            throw value.error(expected: "A type is a text, or {label: Search, with: tea}")
        }
        return .type(try text.text(), into: element)
    }

    static func press(reading value: YAMLValue) throws(YAMLError) -> Self {
        let (element, members) =
            if case .scalar = value.content { (nil as ElementTarget?, ["key": value]) } else {
                try ElementTarget.read(value, and: ["key"])
            }
        guard let text = members["key"], let key = PressedKey(try text.text()) else {
            throw (members["key"] ?? value).error(
                expected: "A press is a character, Space, or one of \(PressedKey.names): {key: Enter, label: Search}")
        }
        return .press(key, on: element)
    }

    static func select(reading value: YAMLValue) throws(YAMLError) -> Self {
        let (element, members) = try ElementTarget.read(value, and: ["option", "options"])
        guard let element, let options = try members.texts("option", "options") else {
            throw value.error(
                expected: "A select is {label: Country, option: Germany}, or has options: [Germany, France]")
        }
        return .select(options, in: element)
    }

    static func chooseFiles(reading value: YAMLValue) throws(YAMLError) -> Self {
        let (element, members) = try ElementTarget.read(value, and: ["file", "files"])
        guard let element, let files = try members.texts("file", "files") else {
            throw value.error(
                expected: "A choose file is {label: Photo, file: photo.png}, or has files: [a.png, b.png]")
        }
        return .chooseFiles(files, for: element)
    }

    static func drag(reading value: YAMLValue) throws(YAMLError) -> Self {
        let (element, members) = try ElementTarget.read(value, and: ["to"])
        guard let element, let to = members["to"] else {
            throw value.error(expected: "A drag is {css: \"#card\", to: \"#list\"}")
        }
        return .drag(element, to: try ElementTarget(to))
    }
}

extension [String: YAMLValue] {
    /// Reads one text, or a list of them under another key.
    fileprivate func texts(_ one: String, _ several: String) throws(YAMLError) -> [String]? {
        if let list = self[several], self[one] != nil {
            throw list.error("Give \(one) or \(several), not both; found both.")
        }
        if let text = try self[one]?.text() { return [text] }
        return try self[several]?.elements().map { value throws(YAMLError) in try value.text() }
    }
}

extension ElementExpectation {
    init(_ value: YAMLValue) throws(YAMLError) {
        let (element, members) = try ElementTarget.read(value, and: ElementExpectation.keys)
        guard let element else { throw value.error(expected: "An element is \(ElementTarget.forms)") }
        self.init(
            element, visible: try members["visible"]?.bool(), enabled: try members["enabled"]?.bool(),
            checked: try members["checked"]?.bool(), value: try members["value"]?.text(),
            contains: try members["contains"]?.text(), count: try members["count"]?.wholeNumber())
    }
}

extension ElementTarget {
    init(_ value: YAMLValue) throws(YAMLError) {
        guard let element = try ElementTarget.read(value, and: []).element else {
            throw value.error(expected: "An element is \(ElementTarget.forms)")
        }
        self = element
    }

    /// Reads an element, and the members beside its own.
    /// - Returns: nil for the element if no member names one.
    static func read(
        _ value: YAMLValue, and others: [String]
    ) throws(YAMLError) -> (element: ElementTarget?, members: [String: YAMLValue]) {
        if case .scalar = value.content { return (.css(try value.text()), [:]) }
        let members = try value.members(ElementTarget.keys + others)
        guard members.keys.contains(where: ElementTarget.keys.contains) else { return (nil, members) }
        let named = try ElementTarget { key throws(YAMLError) in try members[key]?.text() }
        guard var element = named else { throw value.error(expected: "An element is \(ElementTarget.forms)") }
        if let outer = members["within"] { element = element.within(try ElementTarget(outer)) }
        if let nth = members["nth"] {
            guard let index = Int(try nth.text()) else {
                throw nth.error("nth counts from 0, and from the end if it is negative; found \(nth.summary).")
            }
            element = element.nth(index)
        }
        return (element, members)
    }
}

extension YAMLValue {
    func bool() throws(YAMLError) -> Bool {
        guard let value = Bool(try text()) else { throw error("Expected true or false, found \(summary).") }
        return value
    }
}
