public import BridgeProtocol

/// Parses a script value from JSON texts.
public func value(_ json: String, types: String? = nil) throws -> ScriptValue {
    try ScriptValue(json: JSON.parse(json), types: types.map { text throws(JSONParseError) in try JSON.parse(text) })
}

extension JSON {
    /// The value at a JSON Pointer in text form, or `nil` if there is none or the text is not a JSON Pointer.
    public func resolve(pointer text: String) -> JSON? {
        JSONPointer(text).flatMap(resolve(pointer:))
    }
}

/// Returns the text that `body` writes.
public func written(_ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    body(&writer)
    return writer.text
}

/// Returns the JSON text of nested empty arrays.
public func nested(_ levels: Int) -> String {
    String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
}
