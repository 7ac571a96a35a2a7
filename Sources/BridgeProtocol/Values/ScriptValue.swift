/// A JavaScript value in the form in which it is sent: JSON, and a table of the types that JSON cannot express
/// (docs/protocol.md, "Script values").
public struct ScriptValue: Sendable {
    public let json: JSON
    /// The types of the values that JSON has no form for. `nil` for most values.
    public let types: ScriptTypes?

    /// Combines a value with the `types` table that came with it.
    ///
    /// - Throws: `invalidParams` that names the entry of the table which does not fit the value.
    public init(json: JSON, types: JSON? = nil) throws(RPCError) {
        self.json = json
        if let types {
            self.types = try ScriptTypesReader.read(types, for: json)
        } else {
            self.types = nil
        }
    }

    package init(json: JSON, checked types: ScriptTypes?) {
        self.json = json
        self.types = types
    }

    /// A value that is plain JSON.
    public init(_ value: JSONValue) { self.init(json: JSON(value), checked: nil) }

    public static let null = ScriptValue(json: .null, checked: nil)
    /// `{}`
    public static let emptyObject = ScriptValue([:])
    public static let undefined = ScriptValue(json: .null, checked: ScriptTypes(kind: .undefined))

    /// Writes the member `key` with the value and, if there is a table, the member `types` with it.
    public func write(to writer: inout JSONWriter, key: StaticString) {
        writer.member(key, json)
        writer.member("types", ifPresent: types)
    }

    /// Decodes a Swift value directly from the parsed document.
    ///
    /// `undefined` counts as absent. A shared object is decoded again at each place. A `Date` can be a JavaScript date
    /// or an ISO 8601 string, `Data` is base64, and a `Decimal` can be a number or a string. A whole number must fit its
    /// type exactly. A `ScriptValue` takes any value.
    ///
    /// - Throws: `DecodingError`. If one value was wrong, the context's `underlyingError` is a ``ValueMismatch``.
    ///   Cycles and nesting beyond 512 levels are `dataCorrupted`.
    public func decode<T: Decodable>(_ type: T.Type, userInfo: [CodingUserInfoKey: any Sendable] = [:]) throws -> T {
        try ScriptValueDecoder(root: self, userInfo: userInfo).decodeRoot(type)
    }
}
