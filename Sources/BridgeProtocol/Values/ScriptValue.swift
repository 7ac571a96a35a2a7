/// A JavaScript value as it crosses the bridge: JSON, and a table for what JSON can't say (protocol.md).
public struct ScriptValue: Sendable {
    public let json: JSON
    /// `nil` for the usual value, which is what its JSON says.
    public let types: ScriptTypes?

    /// - Parameters:
    ///   - json: the value.
    ///   - types: the table that came beside it.
    /// - Throws: `invalidParams` that names the entry, where the table does not fit the value.
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

    /// Writes `"<key>":…` and, where there is a table, `"types":…` as members of the object being written.
    public func write(to writer: inout JSONWriter, key: StaticString) {
        writer.member(key, json)
        writer.member("types", ifPresent: types)
    }

    /// Decodes a Swift value straight from the tree.
    ///
    /// `undefined` counts as absent, shared objects are decoded once for each place, a date comes from a JavaScript
    /// date or from an ISO 8601 string, whole numbers must fit exactly.
    /// - Throws: `DecodingError`; its context's `underlyingError` is a ``ValueMismatch`` where one value was wrong.
    ///   Cycles and nesting beyond 512 levels are `dataCorrupted`.
    public func decode<T: Decodable>(_ type: T.Type, userInfo: [CodingUserInfoKey: any Sendable] = [:]) throws -> T {
        try ScriptValueDecoder(root: self, userInfo: userInfo).decodeRoot(type)
    }
}
