extension JSON {
    /// The deepest nesting that can be read: jansson's own limit.
    public static let deepestNesting = 2_048

    /// Parses one JSON text as ``parse(_:)`` does, with a lower limit on nesting.
    ///
    /// - Throws: ``JSONParseError``
    public static func parse(_ bytes: UnsafeRawBufferPointer, nesting limit: Int) throws(JSONParseError) -> JSON {
        try checkNesting(of: bytes, limit: limit)
        return try parse(bytes)
    }

    /// Checks that a text does not nest deeper than `limit`. A limit of ``deepestNesting`` costs nothing, because the
    /// parser enforces it.
    ///
    /// - Throws: ``JSONParseError`` with the place of the first bracket that is too deep.
    public static func checkNesting(of bytes: UnsafeRawBufferPointer, limit: Int) throws(JSONParseError) {
        guard limit < deepestNesting, let offset = placeBeyond(limit, in: bytes) else { return }
        throw JSONParseError(
            message: "more than \(limit) levels of nesting", line: 1, column: offset, offset: offset, cause: .tooDeep)
    }

    /// The offset after the first bracket that is too deep. Invalid JSON is left to the parser.
    private static func placeBeyond(_ limit: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
        var (depth, isString, isEscaped) = (0, false, false)
        for (index, byte) in bytes.enumerated() {
            if isEscaped {
                isEscaped = false
                continue
            }
            switch byte {
            case UInt8(ascii: "\\"): isEscaped = isString
            case UInt8(ascii: "\""): isString.toggle()
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                if !isString { depth += 1 }
                if depth > limit { return index + 1 }
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if !isString { depth -= 1 }
            default: break
            }
        }
        return nil
    }
}
