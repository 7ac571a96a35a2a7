extension JSON {
    /// The deepest nesting that can be read: jansson's own limit.
    public static let deepestNesting = 2_048

    /// The limits within which a text must be to be parsed at all.
    public struct Limits: Sendable, Equatable {
        /// How deeply arrays and objects may be nested.
        public var nesting: Int
        /// How many values there may be: the number of commas and opening brackets outside of strings.
        ///
        /// jansson's tree of a text like `[{},{},{}]` takes ninety times the memory of the text.
        public var values: Int

        /// The limits of a text that a page sends as a string, and that is parsed on the main thread.
        public static let untrusted = Limits(values: 120_000)

        public init(nesting: Int = JSON.deepestNesting, values: Int = .max) {
            self.nesting = nesting
            self.values = values
        }
    }

    /// Parses one JSON text as `parse(_:)` does, if it is within the limits.
    public static func parse(_ bytes: UnsafeRawBufferPointer, _ limits: Limits) throws(JSONParseError) -> JSON {
        try check(bytes, limits)
        return try parse(bytes)
    }

    /// Checks that a text is within the limits. A limit that the text cannot exceed, because it is too short or because
    /// the parser enforces it, costs nothing.
    ///
    /// - Throws: ``JSONParseError`` with the place of the first byte beyond a limit.
    public static func check(_ bytes: UnsafeRawBufferPointer, _ limits: Limits) throws(JSONParseError) {
        guard limits.nesting < deepestNesting || bytes.count > limits.values else { return }
        var (depth, values, isString, isEscaped) = (0, 0, false, false)
        for (index, byte) in bytes.enumerated() {
            if isEscaped {
                isEscaped = false
                continue
            }
            switch byte {
            case UInt8(ascii: "\\"): isEscaped = isString
            case UInt8(ascii: "\""): isString.toggle()
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                guard !isString else { continue }
                (depth, values) = (depth + 1, values + 1)
                if depth > limits.nesting {
                    throw .beyond("more than \(limits.nesting) levels of nesting", .tooDeep, offset: index + 1)
                }
            case UInt8(ascii: ","): if !isString { values += 1 }
            case UInt8(ascii: "]"), UInt8(ascii: "}"): if !isString { depth -= 1 }
            default: break
            }
            if values > limits.values {
                throw .beyond("more than \(limits.values) values", .tooManyValues, offset: index + 1)
            }
        }
    }
}

extension JSONParseError {
    fileprivate static func beyond(_ message: String, _ cause: Cause, offset: Int) -> JSONParseError {
        JSONParseError(message: message, line: 1, column: offset, offset: offset, cause: cause)
    }
}
