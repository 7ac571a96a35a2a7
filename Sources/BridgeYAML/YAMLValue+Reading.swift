public import BridgeProtocol

extension YAMLValue.Member {
    /// Makes an error at the key's place.
    public func error(_ message: String) -> YAMLError {
        YAMLError(file: value.file, line: keyLine, column: keyColumn, message: message)
    }
}

extension YAMLValue {
    /// Makes an error at this value's place.
    public func error(_ message: String) -> YAMLError {
        YAMLError(file: file, line: line, column: column, message: message)
    }

    /// Makes an error that says what is expected at this value's place, without a full stop, and what was found.
    public func error(expected: String) -> YAMLError { error("\(expected); found \(summary).") }

    /// Returns the members by their keys.
    ///
    /// - Parameter keys: the allowed keys, or `nil` to allow any.
    /// - Throws: ``YAMLError`` if this is not a mapping or has another key.
    public func members(_ keys: [String]? = nil) throws(YAMLError) -> [String: YAMLValue] {
        var members: [String: YAMLValue] = [:]
        for member in try orderedMembers() {
            if let keys, !keys.contains(member.key) {
                let nearest = EditDistance.nearest(to: member.key, in: keys).map { "Did you mean \"\($0)\"?" }
                throw member.error(
                    "There is no key \"\(member.key)\" here. "
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

    /// The value at `place`, or its nearest ancestor that exists.
    public func nearest(to place: JSONPointer) -> YAMLValue {
        var value = self
        for token in place.tokens {
            switch value.content {
            case .mapping(let members):
                guard let next = members.first(where: { $0.key == token }) else { return value }
                value = next.value
            case .sequence(let elements):
                guard let index = Int(token), elements.indices.contains(index) else { return value }
                value = elements[index]
            case .scalar: return value
            }
        }
        return value
    }

    /// Returns the value with other scalars. Places stay.
    /// - Parameter key: replaces keys.
    public func replacingScalars(
        key: (Member) throws(YAMLError) -> String = { $0.key }, _ replaced: (YAMLValue) throws(YAMLError) -> Content
    ) throws(YAMLError) -> YAMLValue {
        let content: Content
        switch self.content {
        case .scalar: content = try replaced(self)
        case .sequence(let elements):
            var others: [YAMLValue] = []
            for element in elements { others.append(try element.replacingScalars(key: key, replaced)) }
            content = .sequence(others)
        case .mapping(let members):
            var others: [Member] = []
            for member in members {
                others.append(
                    Member(
                        key: try key(member), keyLine: member.keyLine, keyColumn: member.keyColumn,
                        value: try member.value.replacingScalars(key: key, replaced)))
            }
            content = .mapping(others)
        }
        return YAMLValue(file: file, line: line, column: column, content: content)
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
