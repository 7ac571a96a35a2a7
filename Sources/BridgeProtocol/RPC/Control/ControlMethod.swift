/// One method of the control channel (docs/control.md).
///
/// The type is the declaration of the method. The dispatcher and the OpenRPC document are both derived from it, so they
/// always agree. Its stored properties are the decoded params.
public protocol ControlMethod: Sendable {
    /// The method's name, such as `script.evaluate`.
    static var name: String { get }
    /// A description in one sentence.
    static var summary: String { get }
    /// The JSON Schema of the result, which is always an object.
    static var result: JSONValue { get }
    /// The errors that it may return, apart from those that every method may return.
    static var errors: [ControlError] { get }
    /// Whether the method answers for all nodes of a cluster. Any other has the param `node`, which names the one that is
    /// to answer.
    static var isAboutAllNodes: Bool { get }

    /// Reads the params one after the other. Reading a param also declares it.
    ///
    /// - Throws: `invalidParams` with the place, what was expected there, and what was found.
    init(_ params: inout ParamsReader) throws(RPCError)

    /// What the call concerns; the daemon by default.
    var subject: CallSubject { get }
}

extension ControlMethod {
    public static var errors: [ControlError] { [] }
    public static var isAboutAllNodes: Bool { false }
    public var subject: CallSubject { .daemon }
}

/// A method's declaration, as the dispatcher and the OpenRPC document use it.
public struct ControlMethodDescription: Sendable {
    public let name: String
    public let summary: String
    public let parameters: [ControlParameter]
    public let result: JSONValue
    public let errors: [ControlError]
    private let takesOthers: Bool

    public init<M: ControlMethod>(_ method: M.Type) {
        var reader = ParamsReader()
        // A method declares all its params before it checks how they fit together, so an error here does not matter.
        _ = try? M(&reader)
        if !M.isAboutAllNodes { _ = try? reader.node() }
        name = M.name
        summary = M.summary
        parameters = reader.declared
        takesOthers = reader.takesOthers
        result = M.result
        errors = M.errors
    }

    /// Reads the params of a call.
    ///
    /// - Returns: the method, and the node of a cluster that is to answer.
    /// - Throws: `invalidParams`, also for a param that the method does not have.
    public func read<M: ControlMethod>(
        _ method: M.Type, from params: JSON?
    ) throws(RPCError) -> (method: M, node: String?) {
        let params = try params.map { params throws(RPCError) in try object(params) }
        if !takesOthers {
            try params?.forEachMember { key, _ throws(RPCError) in try checkIsDeclared(key) }
        }
        var reader = ParamsReader(params ?? .null)
        let method = try M(&reader)
        return (method, M.isAboutAllNodes ? nil : try reader.node())
    }

    /// Checks that params are passed by name. An empty array counts as no params.
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
    /// A description, with the default.
    public let summary: String
    public let isRequired: Bool
    /// The JSON Schema of the param's value.
    public let schema: JSONValue
}
