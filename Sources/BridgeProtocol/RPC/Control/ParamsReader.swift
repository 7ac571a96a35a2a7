/// Reads the params of one call, or takes down what params a method has.
///
/// Both are the same code of the method: reading a param declares it.
public struct ParamsReader {
    /// In the order in which they were read.
    public private(set) var declared: [ControlParameter] = []
    /// Whether members that were not declared may be there as well.
    public private(set) var takesOthers = false
    /// Nil where nobody called, and only the declarations count.
    private let params: JSON?

    /// A reader that hands out samples.
    init() { params = nil }

    /// - Parameter params: an object, or null for none.
    init(_ params: JSON) { self.params = params }

    /// A param that has to be there.
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

    /// A param that may be left out. `null` counts as left out.
    /// - Throws: `invalidParams`
    public mutating func optional<Value>(
        _ name: String, _ type: ParamType<Value>, _ summary: String
    ) throws(RPCError) -> Value? {
        declare(name, type, summary, isRequired: false)
        guard let json = params?[name], !json.isNull else { return nil }
        return try type.read(json, JSONPointer(tokens: [name]))
    }

    /// A JavaScript value under `name`, with its table under `types` (protocol.md, "Script values").
    /// - Parameter default: the value where the param is left out; without one it has to be there.
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
        let types = try optional("types", .object, "What JSON alone does not say about \(name).")
        guard let json else { return value ?? .null }
        return try ScriptValue(json: json, types: types)
    }

    /// The same for any value, which has to be there.
    /// - Throws: `invalidParams`
    public mutating func scriptValue(_ name: String, _ summary: String) throws(RPCError) -> ScriptValue {
        try scriptValue(name, .any, summary)
    }

    /// The members that are not declared by now. A method that asks for them knows itself what they may be.
    public mutating func others() -> [String: JSON] {
        takesOthers = true
        let names = declared.map(\.name)
        var others: [String: JSON] = [:]
        params?.forEachMember { key, json in
            if !names.contains(key) { others[key] = json }
        }
        return others
    }

    private mutating func declare<Value>(
        _ name: String, _ type: ParamType<Value>, _ summary: String, isRequired: Bool
    ) {
        declared.append(
            ControlParameter(name: name, summary: summary, isRequired: isRequired, schema: type.schema))
    }
}
