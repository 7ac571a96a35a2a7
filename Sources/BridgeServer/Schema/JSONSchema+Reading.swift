public import BridgeProtocol

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
