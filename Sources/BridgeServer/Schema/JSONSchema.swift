public import BridgeProtocol

/// A JSON Schema (draft 2020-12) with the keywords that bridge messages need: those of ``Keyword``.
///
/// Any other keyword is an error, because otherwise a schema would seem to check more than it does.
public struct JSONSchema: Sendable {
    /// The supported keywords. `title`, `description`, `default`, `examples`, `$schema` and `$comment` check nothing.
    public enum Keyword: String, Sendable, CaseIterable {
        case type, `enum`, const, properties, required, additionalProperties, items, minItems, maxItems
        case minLength, maxLength, minimum, maximum, anyOf
        case title, description, `default`, examples
        case schema = "$schema"
        case comment = "$comment"
    }

    enum Kind: String, CaseIterable {
        case null, boolean, number, integer, string, array, object
    }

    /// The allowed types; nil for any.
    var kinds: [Kind]?
    /// The allowed values, from `enum` or `const`; nil for any.
    var choices: [ScriptValue]?
    var properties: [(name: String, schema: JSONSchema)] = []
    var required: [String] = []
    /// The rule for members that are not among the properties (`additionalProperties`); nil if they may be anything.
    var others: Others?
    indirect enum Others {
        case none
        case schema(JSONSchema)
    }
    private var itemSchema: [JSONSchema] = []
    /// The schema of every element. It is stored in an array, because a struct cannot contain itself.
    var items: JSONSchema? {
        get { itemSchema.first }
        set { itemSchema = newValue.map { [$0] } ?? [] }
    }
    /// The bounds by keyword, such as `minItems` or `maximum`.
    var bounds: [Keyword: Double] = [:]
    var alternatives: [JSONSchema] = []
    /// Whether this is the schema `false`, which no value matches.
    var isNever = false

    init() {}
}

/// An error about a mistake in a schema, with its place.
public struct JSONSchemaError: Error, Sendable, Equatable, CustomStringConvertible {
    public let place: JSONPointer
    public let message: String

    public var description: String {
        "\(message) (at \(place.tokens.isEmpty ? "the schema's root" : place.description))"
    }
}

extension JSONSchema {
    /// Reads a schema.
    /// - Throws: ``JSONSchemaError`` for a keyword that is not supported, or whose value is wrong.
    public init(_ json: JSON) throws(JSONSchemaError) { try self.init(json, at: JSONPointer()) }

    private init(_ json: JSON, at place: JSONPointer) throws(JSONSchemaError) {
        if let bool = json.bool {
            isNever = !bool
            return
        }
        guard json.kind == .object else {
            throw JSONSchemaError(place: place, message: "A schema is an object, true or false, not \(json.summary).")
        }
        try json.forEachMember { name, value throws(JSONSchemaError) in
            guard let keyword = Keyword(rawValue: name) else { throw .unknown(name, at: place) }
            try read(keyword, value, at: place.appending(name))
        }
    }

    private mutating func read(_ keyword: Keyword, _ value: JSON, at place: JSONPointer) throws(JSONSchemaError) {
        switch keyword {
        case .type: kinds = try JSONSchema.kinds(value, at: place)
        case .enum:
            guard value.kind == .array else { throw .expected("an array", value, at: place) }
            choices = value.elements.map { ScriptValue(json: $0, checked: nil) }
        case .const: choices = [ScriptValue(json: value, checked: nil)]
        case .properties:
            guard value.kind == .object else { throw .expected("an object of schemas", value, at: place) }
            try value.forEachMember { name, json throws(JSONSchemaError) in
                properties.append((name, try JSONSchema(json, at: place.appending(name))))
            }
        case .required: required = try JSONSchema.names(value, at: place)
        case .additionalProperties:
            let schema = try JSONSchema(value, at: place)
            others = value.bool.map { $0 ? nil : Others.none } ?? .schema(schema)
        case .items: items = try JSONSchema(value, at: place)
        case .minItems, .maxItems, .minLength, .maxLength, .minimum, .maximum:
            guard let number = value.number else { throw .expected("a number", value, at: place) }
            bounds[keyword] = number
        case .anyOf:
            guard value.kind == .array, value.count > 0 else {
                throw .expected("an array of schemas", value, at: place)
            }
            for (index, json) in value.elements.enumerated() {
                alternatives.append(try JSONSchema(json, at: place.appending(String(index))))
            }
        case .title, .description, .default, .examples, .schema, .comment: break
        }
    }

    private static func kinds(_ value: JSON, at place: JSONPointer) throws(JSONSchemaError) -> [Kind] {
        var kinds: [Kind] = []
        let names = value.kind == .string ? [value.string ?? ""] : try names(value, at: place)
        for name in names {
            guard let kind = Kind(rawValue: name) else {
                let all = Kind.allCases.map(\.rawValue)
                let nearest = EditDistance.nearest(to: name, in: all).map { " Did you mean \($0)?" } ?? ""
                throw JSONSchemaError(
                    place: place, message: "type is \(all.joined(separator: ", ")), not \(quoted(name)).\(nearest)")
            }
            kinds.append(kind)
        }
        return kinds
    }

    private static func names(_ list: JSON, at place: JSONPointer) throws(JSONSchemaError) -> [String] {
        guard list.kind == .array else { throw .expected("an array of names", list, at: place) }
        let names = list.elements.compactMap(\.string)
        guard names.count == list.count else { throw .expected("an array of strings", list, at: place) }
        return names
    }
}

extension JSONSchemaError {
    fileprivate static func unknown(_ name: String, at place: JSONPointer) -> JSONSchemaError {
        let nearest = EditDistance.nearest(to: name, in: JSONSchema.Keyword.allCases.map(\.rawValue))
        return JSONSchemaError(
            place: place.appending(name),
            message: "The keyword \(quoted(name)) is not supported."
                + (nearest.map { " Did you mean \($0)?" } ?? " docs/configuration.md lists the supported ones."))
    }

    fileprivate static func expected(_ text: String, _ json: JSON, at place: JSONPointer) -> JSONSchemaError {
        JSONSchemaError(place: place, message: "Expected \(text), found \(json.summary).")
    }
}

extension JSONSchema {
    /// A place where a value does not match the schema.
    public struct Mismatch: Sendable, Equatable {
        /// The place in the value that does not match.
        public let place: JSONPointer
        /// The place of the violated keyword in the schema.
        public let schemaPlace: JSONPointer
        public let expected: String
        public let found: String
    }

    /// The first place where a value does not match; nil if it matches.
    ///
    /// A date counts as a string, and NaN as a number. A member that is `undefined` counts as missing, and any other
    /// `undefined` as null. An object that occurs more than once is checked once.
    public func mismatch(in value: ScriptValue) -> Mismatch? {
        mismatch(in: value, JSONPointer(), JSONPointer())
    }

    private func mismatch(in value: ScriptValue, _ place: JSONPointer, _ own: JSONPointer) -> Mismatch? {
        func fail(_ keyword: Keyword, _ expected: String) -> Mismatch {
            Mismatch(
                place: place, schemaPlace: own.appending(keyword.rawValue), expected: expected, found: value.summary)
        }
        if value.kind == .reference { return nil }
        if isNever { return Mismatch(place: place, schemaPlace: own, expected: "nothing", found: value.summary) }
        if let kinds, !kinds.contains(where: value.isOf) {
            return fail(.type, kinds.map(\.rawValue).joined(separator: " or "))
        }
        if let choices, !choices.contains(where: { $0.contains(subset: value) && value.contains(subset: $0) }) {
            return fail(.enum, choices.map { shortened($0.json.text, to: 60) }.joined(separator: " or "))
        }
        if let (keyword, text) = brokenBound(value) { return fail(keyword, text) }
        if !alternatives.isEmpty, alternatives.allSatisfy({ $0.mismatch(in: value) != nil }) {
            return fail(.anyOf, "one of \(alternatives.count) alternatives")
        }
        return memberMismatch(in: value, place, own) ?? itemMismatch(in: value, place, own)
    }

    private func memberMismatch(in value: ScriptValue, _ place: JSONPointer, _ own: JSONPointer) -> Mismatch? {
        guard value.kind == .object else { return nil }
        for name in required where value.definedChild(name) == nil {
            return Mismatch(
                place: place.appending(name), schemaPlace: own.appending("required"),
                expected: properties.first { $0.name == name }?.schema.kinds?.first?.rawValue ?? "a value",
                found: "nothing")
        }
        for (name, schema) in properties {
            guard let child = value.definedChild(name) else { continue }
            let path = own.appending("properties").appending(name)
            if let mismatch = schema.mismatch(in: child, place.appending(name), path) { return mismatch }
        }
        return others.flatMap { otherMismatch(in: value, $0, place, own.appending("additionalProperties")) }
    }

    private func otherMismatch(
        in value: ScriptValue, _ others: Others, _ place: JSONPointer, _ own: JSONPointer
    ) -> Mismatch? {
        var found: Mismatch?
        value.json.forEachMember { name, _ in
            guard found == nil, !properties.contains(where: { $0.name == name }), let child = value.definedChild(name)
            else { return }
            switch others {
            case .none:
                let names = properties.map(\.name)
                let nearest = EditDistance.nearest(to: name, in: names).map { ": did you mean \(quoted($0))?" } ?? ""
                found = Mismatch(
                    place: place.appending(name), schemaPlace: own, expected: "no other members\(nearest)",
                    found: child.summary)
            case .schema(let schema): found = schema.mismatch(in: child, place.appending(name), own)
            }
        }
        return found
    }

    private func itemMismatch(in value: ScriptValue, _ place: JSONPointer, _ own: JSONPointer) -> Mismatch? {
        guard value.kind == .array, let items else { return nil }
        for index in 0..<value.json.count {
            guard let element = value.child(index: index) else { continue }
            let place = place.appending(String(index))
            if let mismatch = items.mismatch(in: element, place, own.appending("items")) { return mismatch }
        }
        return nil
    }

    private func brokenBound(_ value: ScriptValue) -> (Keyword, String)? {
        let sizes: [(Keyword, Keyword, Double?, String)] = [
            (.minItems, .maxItems, value.kind == .array ? Double(value.json.count) : nil, "elements"),
            (.minLength, .maxLength, value.string.map { Double($0.unicodeScalars.count) }, "characters"),
            (.minimum, .maximum, value.number, ""),
        ]
        for (least, most, size, unit) in sizes {
            guard let size else { continue }
            if let bound = bounds[least], size < bound { return (least, JSONSchema.text("at least", bound, unit)) }
            if let bound = bounds[most], size > bound { return (most, JSONSchema.text("at most", bound, unit)) }
        }
        return nil
    }

    private static func text(_ relation: String, _ bound: Double, _ unit: String) -> String {
        "\(relation) \(JSONValue.number(bound).text)\(unit.isEmpty ? "" : " \(unit)")"
    }
}

extension ScriptValue {
    /// The member of that name, unless it is missing or `undefined`.
    fileprivate func definedChild(_ name: String) -> ScriptValue? {
        guard let child = child(name), child.kind != .undefined else { return nil }
        return child
    }

    fileprivate func isOf(_ kind: JSONSchema.Kind) -> Bool {
        switch (kind, self.kind) {
        case (.null, .null), (.null, .undefined), (.boolean, .bool), (.number, .number), (.string, .string),
            (.string, .date), (.array, .array), (.object, .object):
            true
        case (.integer, .number): number.map { $0.rounded() == $0 } ?? false
        default: false
        }
    }
}
