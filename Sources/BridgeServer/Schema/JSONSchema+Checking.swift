public import BridgeProtocol

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
