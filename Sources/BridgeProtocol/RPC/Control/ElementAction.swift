/// What a test does to an element of the page, named as in Playwright.
public enum ElementAction: Sendable, Equatable {
    case tap(ElementTarget)
    case hover(ElementTarget)
    case drag(ElementTarget, to: ElementTarget)
    case scrollTo(ElementTarget)
    /// Replaces what a field contains.
    case fill(ElementTarget, with: String)
    /// Types with one key for each character; without an element into what has the focus.
    case type(String, into: ElementTarget?)
    /// Presses a key, such as `Enter` or `a`.
    case press(PressedKey, on: ElementTarget?)
    /// Selects the options of a `<select>` with these labels or values, and no others.
    case select([String], in: ElementTarget)
    case check(ElementTarget, isChecked: Bool)
    /// Chooses files for an `<input type=file>`: paths of the machine on which the daemon runs.
    case chooseFiles([String], for: ElementTarget)

    public enum Name: String, CaseIterable, Sendable {
        case tap, hover, drag, scrollTo, fill, type, press, select, check, uncheck, chooseFiles
    }

    /// A key that a user presses: one that types a character, or one with a name.
    public enum PressedKey: Sendable, Equatable {
        case character(Character)
        case named(PageInput.Key)

        /// - Parameter text: `KeyboardEvent.key`.
        public init?(_ text: String) {
            if let key = PageInput.Key(rawValue: text) {
                self = .named(key)
            } else if text == "Space" {
                self = .character(" ")
            } else if let character = text.first, text.count == 1 {
                self = .character(character)
            } else {
                return nil
            }
        }

        /// `KeyboardEvent.key`.
        public var text: String {
            switch self {
            case .character(let character): String(character)
            case .named(let key): key.rawValue
            }
        }

        package static let names = PageInput.Key.allCases.map(\.rawValue).joined(separator: ", ")
    }

    /// The element; nil for what has the focus.
    public var element: ElementTarget? {
        switch self {
        case .tap(let element), .hover(let element), .drag(let element, _), .scrollTo(let element),
            .fill(let element, _), .select(_, let element), .check(let element, _), .chooseFiles(_, let element):
            element
        case .type(_, let element), .press(_, let element): element
        }
    }

    /// The actions to which the params belong.
    private static let owners: KeyValuePairs<String, [Name]> = [
        "to": [.drag], "text": [.fill, .type], "key": [.press], "options": [.select], "files": [.chooseFiles],
    ]

    /// Reads the params of `page.act`.
    init(_ params: inout ParamsReader) throws(RPCError) {
        let name = try params.optional("action", .oneOf(Name.tap), "What the user does. Default: tap.") ?? .tap
        let element = try params.optional(
            "element", .element, "The element: \(ElementTarget.forms). Only type and press go without.")
        let to = try params.optional("to", .element, "drag: where to.")
        let text = try params.optional("text", .string, "fill and type: the text.")
        let key = try params.optional("key", .string, "press: the key, as KeyboardEvent.key names it: Enter, a.")
        let options = try params.optional("options", .strings, "select: the labels or values of the options.")
        let files = try params.optional("files", .strings, "chooseFiles: their paths, on the daemon's machine.")
        let given = [
            "to": to != nil, "text": text != nil, "key": key != nil, "options": options != nil, "files": files != nil,
        ]
        for (key, owners) in ElementAction.owners where given[key] == true && !owners.contains(name) {
            let names = owners.map(\.rawValue).joined(separator: " and ")
            throw .invalidParams(at: "/\(key)", "\(key) belongs to \(names), not to \(name.rawValue)")
        }
        func missing(_ key: String) -> RPCError {
            .invalidParams(at: "/\(key)", "\(name.rawValue) needs \(key)")
        }
        switch (name, element) {
        case (.type, _):
            guard let text else { throw missing("text") }
            self = .type(text, into: element)
        case (.press, _):
            guard let key else { throw missing("key") }
            guard let pressed = PressedKey(key) else {
                throw .invalidParams(at: "/key", "expected a character, Space, or one of \(PressedKey.names)")
            }
            self = .press(pressed, on: element)
        case (_, nil): throw missing("element")
        case (.tap, let element?): self = .tap(element)
        case (.hover, let element?): self = .hover(element)
        case (.scrollTo, let element?): self = .scrollTo(element)
        case (.check, let element?): self = .check(element, isChecked: true)
        case (.uncheck, let element?): self = .check(element, isChecked: false)
        case (.drag, let element?):
            guard let to else { throw missing("to") }
            self = .drag(element, to: to)
        case (.fill, let element?):
            guard let text else { throw missing("text") }
            self = .fill(element, with: text)
        case (.select, let element?):
            guard let options else { throw missing("options") }
            self = .select(options, in: element)
        case (.chooseFiles, let element?):
            guard let files else { throw missing("files") }
            self = .chooseFiles(files, for: element)
        }
    }
}

extension ElementAction: CustomStringConvertible {
    /// The action as results show it, such as `fill #title with "One"`.
    public var description: String {
        switch self {
        case .tap(let element): "tap \(element)"
        case .hover(let element): "hover \(element)"
        case .drag(let element, let to): "drag \(element) to \(to)"
        case .scrollTo(let element): "scroll to \(element)"
        case .fill(let element, let text): "fill \(element) with \(JSONValue.string(text).text)"
        case .type(let text, let element): "type \(JSONValue.string(text).text)\(element.map { " into \($0)" } ?? "")"
        case .press(let key, let element): "press \(key.text)\(element.map { " on \($0)" } ?? "")"
        case .select(let options, let element): "select \(options.joined(separator: ", ")) in \(element)"
        case .check(let element, let isChecked): "\(isChecked ? "check" : "uncheck") \(element)"
        case .chooseFiles(let files, let element): "choose file \(files.joined(separator: ", ")) for \(element)"
        }
    }
}
