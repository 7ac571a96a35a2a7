extension ScriptValue: JavaScriptConvertible {
    /// Writes the value as an expression. References are assigned after the literal is built.
    public func writeJavaScript(to writer: inout JSONWriter) {
        let references = self.references
        guard !references.isEmpty else {
            writeLiteral(to: &writer)
            return
        }
        var literal = JSONWriter(escaping: .html)
        writeLiteral(to: &literal)
        let assignments = references.map { "\(Self.path(to: $0.place))=\(Self.path(to: $0.target));" }.joined()
        writer.raw("(v=>{\(assignments)return v})(\(literal.text))".utf8)
    }

    /// The places of the objects that occur again later in the value.
    public var referenceTargets: Set<JSONPointer> { Set(references.map(\.target)) }

    private var references: [(place: JSONPointer, target: JSONPointer)] {
        var references: [(JSONPointer, JSONPointer)] = []
        types?.forEach { place, kind in
            if kind == .ref, let target = resolve(pointer: place)?.referenceTarget {
                references.append((place, target))
            }
        }
        return references
    }

    private static func path(to pointer: JSONPointer) -> String {
        pointer.tokens.reduce("v") { path, token in
            var key = JSONWriter(escaping: .html)
            key.string(token)
            return "\(path)[\(key.text)]"
        }
    }

    private func writeLiteral(to writer: inout JSONWriter) {
        switch kind {
        case .undefined: writer.raw("undefined".utf8)
        case .null, .reference: writer.null()
        case .bool: writer.bool(bool ?? false)
        case .number: (number ?? 0).writeJavaScript(to: &writer)
        case .date: date?.writeJavaScript(to: &writer)
        case .string: writeString(to: &writer)
        case .array: writeElements(to: &writer)
        case .object: writeMembers(to: &writer)
        }
    }

    private func writeString(to writer: inout JSONWriter) {
        guard let units = [UInt16](json) else { return writer.json(json) }
        writer.raw("\"\(units.map { "\\u\($0.hexadecimal)" }.joined())\"".utf8)
    }

    private func writeElements(to writer: inout JSONWriter) {
        writer.array { writer in
            for index in 0..<json.count { child(index: index)?.writeLiteral(to: &writer) }
        }
    }

    private func writeMembers(to writer: inout JSONWriter) {
        writer.object { writer in
            json.forEachMember { key, member in
                writer.javaScriptKey(key)
                ScriptValue(json: member, checked: types?.child(key)).writeLiteral(to: &writer)
            }
        }
    }
}
