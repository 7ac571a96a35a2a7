extension JSON {
    /// The value's kind and contents, short enough for an error message: `number 3`, `object with keys a, b`.
    public var summary: String {
        switch kind {
        case .null: "null"
        case .bool: "boolean \(self)"
        case .number: "number \(self)"
        case .string: "string \(quoted(start))"
        case .array: "array of \(count)"
        case .object: count == 0 ? "object without keys" : "object with keys \(keyList)"
        }
    }

    /// The first characters of a string, which may be megabytes long.
    private var start: String {
        withNode { node in node.utf8.map { String(decoding: $0.prefix(200), as: UTF8.self) } ?? "" }
    }

    private var keyList: String {
        withNode { node in
            let names = node.members.prefix(8).map { key, _ in
                String(quoted(String(decoding: key.prefix(200), as: UTF8.self), limit: 20).dropFirst().dropLast())
            }
            return names.joined(separator: ", ") + (node.count > names.count ? ", …" : "")
        }
    }
}

extension JSON? {
    /// ``JSON/summary``, or `nothing` for `nil`.
    var summary: String { self?.summary ?? "nothing" }
}

/// The text as a JSON string, cut after `limit` characters. In a message, this escapes control characters.
public func quoted(_ text: String, limit: Int = 40) -> String {
    var writer = JSONWriter()
    writer.string(shortened(text, to: limit))
    return writer.text
}

/// The text, cut after `limit` Unicode scalars. A text that was cut ends with `…`.
public func shortened(_ text: String, to limit: Int) -> String {
    guard limit < .max else { return text }
    let start = text.unicodeScalars.prefix(limit + 1)
    return start.count > limit ? String(start.dropLast()) + "…" : text
}
