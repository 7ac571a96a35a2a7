public import BridgeProtocol

extension YAMLValue {
    /// Makes an error at this value's place.
    public func error(_ message: String) -> YAMLError {
        YAMLError(file: file, line: line, column: column, message: message)
    }

    /// Returns the members by their keys.
    ///
    /// - Parameter keys: the allowed keys, or `nil` to allow any.
    /// - Throws: ``YAMLError`` if this is not a mapping or has another key.
    public func members(_ keys: [String]? = nil) throws(YAMLError) -> [String: YAMLValue] {
        var members: [String: YAMLValue] = [:]
        for member in try orderedMembers() {
            if let keys, !keys.contains(member.key) {
                let nearest = EditDistance.nearest(to: member.key, in: keys).map { "Did you mean \"\($0)\"?" }
                throw YAMLError(
                    file: file, line: member.keyLine, column: member.keyColumn,
                    message: "There is no key \"\(member.key)\" here. "
                        + (nearest ?? "There are \(keys.joined(separator: ", "))."))
            }
            members[member.key] = member.value
        }
        return members
    }

    /// Returns the members in the order of the file.
    /// - Throws: ``YAMLError`` if this is not a mapping.
    public func orderedMembers() throws(YAMLError) -> [Member] {
        guard case .mapping(let members) = content else { throw error("Expected a mapping, found \(summary).") }
        return members
    }

    public func elements() throws(YAMLError) -> [YAMLValue] {
        guard case .sequence(let elements) = content else { throw error("Expected a list, found \(summary).") }
        return elements
    }

    /// Returns the text of a scalar, as it is in the file but without quotation marks.
    /// - Throws: ``YAMLError`` if this is null, a list or a mapping.
    public func text() throws(YAMLError) -> String {
        guard case .scalar(let value, let text) = content, value != .null else {
            let hint = if case .scalar(_, "") = content { " A # begins a comment: quote a text with one." } else { "" }
            throw error("Expected a text, found \(summary).\(hint)")
        }
        return text
    }

    /// Reads a duration: `300ms`, `5s`, `2m`, or a number of seconds.
    public func duration() throws(YAMLError) -> Duration {
        guard let duration = Duration(try text()) else {
            throw error("Expected a time such as 300ms, 5s or 2m, found \(summary).")
        }
        return duration
    }

    public var scriptValue: ScriptValue { ScriptValue(json) }

    /// A short description of the value, for messages: its text or its kind.
    public var summary: String {
        switch content {
        case .scalar(.null, _): "nothing"
        case .scalar(_, let text): "\"\(text.prefix(40))\""
        case .sequence: "a list"
        case .mapping(let members): "a mapping with \(members.map(\.key).prefix(5).joined(separator: ", "))"
        }
    }
}
