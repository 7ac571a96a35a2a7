/// Reads the params of one call, or collects the declarations of a method's params.
///
/// The same code of a method does both, because reading a param also declares it.
public struct ParamsReader {
    /// The params in the order in which they were read.
    public private(set) var declared: [ControlParameter] = []
    /// Whether a call may have members that are not declared.
    public private(set) var takesOthers = false
    /// The params of the call, or `nil` to collect the declarations only.
    private let params: JSON?

    /// Makes a reader that collects declarations and returns samples.
    init() { params = nil }

    /// Makes a reader for a call.
    ///
    /// - Parameter params: an object, or null if the call has no params.
    init(_ params: JSON) { self.params = params }

    /// Reads a required param.
    ///
    /// - Throws: `invalidParams`
    public mutating func required<Value>(
        _ name: String, _ type: ParamType<Value>, _ summary: String
    ) throws(RPCError) -> Value {
        declare(name, type, summary, isRequired: true)
        guard let params else { return type.sample }
        let place = JSONPointer(tokens: [name])
        guard let json = params[name] else {
            throw .invalidParams(at: place.description, "expected \(type.expectation), found nothing")
        }
        return try type.read(json, place)
    }

    /// Reads an optional param. `null` counts as absent.
    ///
    /// - Throws: `invalidParams`
    public mutating func optional<Value>(
        _ name: String, _ type: ParamType<Value>, _ summary: String
    ) throws(RPCError) -> Value? {
        declare(name, type, summary, isRequired: false)
        guard let json = params?[name], !json.isNull else { return nil }
        return try type.read(json, JSONPointer(tokens: [name]))
    }

    /// Reads a JavaScript value from `name` and its table from `types` (docs/protocol.md, "Script values").
    ///
    /// - Parameter value: the default, or `nil` if the param is required.
    /// - Throws: `invalidParams`
    public mutating func scriptValue(
        _ name: String, _ type: ParamType<JSON>, _ summary: String, default value: ScriptValue? = nil
    ) throws(RPCError) -> ScriptValue {
        let json: JSON?
        if value == nil {
            json = try required(name, type, summary)
        } else {
            json = try optional(name, type, summary)
        }
        let types = try optional("types", .object, "The types of values in \(name) that JSON has no form for.")
        guard let json else { return value ?? .null }
        return try ScriptValue(json: json, types: types)
    }

    /// Reads a required JavaScript value of any kind.
    ///
    /// - Throws: `invalidParams`
    public mutating func scriptValue(_ name: String, _ summary: String) throws(RPCError) -> ScriptValue {
        try scriptValue(name, .any, summary)
    }

    /// The members that are not declared so far. The method that reads them must check them itself.
    public mutating func others() -> [String: JSON] {
        takesOthers = true
        let names = declared.map(\.name) + ["node"]
        var others: [String: JSON] = [:]
        params?.forEachMember { key, json in
            if !names.contains(key) { others[key] = json }
        }
        return others
    }

    mutating func node() throws(RPCError) -> String? {
        try optional(
            "node", .string, "The node of the cluster that answers. Default: the one that has the page, or this.")
    }

    private mutating func declare<Value>(
        _ name: String, _ type: ParamType<Value>, _ summary: String, isRequired: Bool
    ) {
        declared.append(
            ControlParameter(name: name, summary: summary, isRequired: isRequired, schema: type.schema))
    }
}
