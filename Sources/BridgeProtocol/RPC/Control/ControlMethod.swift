/// One method of the control channel (protocol.md, "Control channel").
///
/// The type is the declaration: what dispatches calls and what writes the OpenRPC document both read it, so that they
/// can't drift apart. Its properties are its params, decoded.
public protocol ControlMethod: Sendable {
    /// Such as `script.evaluate`.
    static var name: String { get }
    /// One sentence.
    static var summary: String { get }
    /// The JSON Schema of the result, an object as all our results are.
    static var result: JSONValue { get }
    /// The errors that it may answer beside those of every method.
    static var errors: [ControlError] { get }

    /// Reads the params, one after the other, and by that declares them.
    /// - Throws: `invalidParams` that says where, what was expected and what came.
    init(_ params: inout ParamsReader) throws(RPCError)
}

extension ControlMethod {
    /// Reads the params of a call without a dispatcher.
    /// - Throws: `invalidParams`
    public static func read(from params: JSON?) throws(RPCError) -> Self {
        try ControlMethodDescription(Self.self).read(Self.self, from: params)
    }
}

/// What there is to know of a method without calling it.
public struct ControlMethodDescription: Sendable {
    public let name: String
    public let summary: String
    public let parameters: [ControlParameter]
    public let result: JSONValue
    public let errors: [ControlError]
    private let takesOthers: Bool

    public init<M: ControlMethod>(_ method: M.Type) {
        var reader = ParamsReader()
        // It declares all params before it looks at how they go together.
        _ = try? M(&reader)
        name = M.name
        summary = M.summary
        parameters = reader.declared
        takesOthers = reader.takesOthers
        result = M.result
        errors = M.errors
    }

    /// Reads the params of a call.
    /// - Throws: `invalidParams`, also for a member that the method does not have.
    public func read<M: ControlMethod>(_ method: M.Type, from params: JSON?) throws(RPCError) -> M {
        let params = try params.map { params throws(RPCError) in try object(params) }
        if !takesOthers {
            try params?.forEachMember { key, _ throws(RPCError) in try checkIsDeclared(key) }
        }
        var reader = ParamsReader(params ?? .null)
        return try M(&reader)
    }

    /// By name only. An empty array is as good as no params.
    private func object(_ params: JSON) throws(RPCError) -> JSON {
        if params.kind == .array, params.count == 0 { return .null }
        guard params.kind == .object else {
            throw .invalidParams(at: "", "expected an object (params go by name), found \(params.summary)")
        }
        return params
    }

    private func checkIsDeclared(_ key: String) throws(RPCError) {
        let names = parameters.map(\.name)
        guard !names.contains(key) else { return }
        throw .invalidParams(at: JSONPointer(tokens: [shortened(key, to: 100)]).description, unknown: key, among: names)
    }
}

/// One param of a control method.
public struct ControlParameter: Sendable, Equatable {
    public let name: String
    /// What it means, with its default.
    public let summary: String
    public let isRequired: Bool
    /// JSON Schema.
    public let schema: JSONValue
}
