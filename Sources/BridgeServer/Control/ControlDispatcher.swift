import BridgeProtocol

/// Calls the handler of a control method. Its list of methods is the source of `/openrpc.json`. On the main actor.
@MainActor final class ControlDispatcher {
    private struct Route {
        let description: ControlMethodDescription
        let call: @MainActor (JSON?, ControlCaller) async throws(RPCError) -> ControlResult
    }

    private let nodes: ClusterNodes
    private var routes: [String: Route] = [:]
    /// The methods, in the order in which they were registered.
    private(set) var methods: [ControlMethodDescription] = []

    init(_ nodes: ClusterNodes) { self.nodes = nodes }

    /// Registers the handler of a method.
    func on<M: ControlMethod>(
        _ method: M.Type, _ answer: @escaping @MainActor (M, ControlCaller) async throws(RPCError) -> ControlResult
    ) {
        let description = ControlMethodDescription(method)
        methods.append(description)
        routes[M.name] = Route(description: description) { [nodes] params, caller throws(RPCError) in
            let (method, node) = try description.read(method, from: params)
            // A call that another node has passed on is answered here.
            if case .node = caller { return try await answer(method, caller) }
            if let result = try await nodes.answer(M.name, method.subject, node, params) { return result }
            return try await answer(method, caller)
        }
    }

    func call(_ method: String, _ params: JSON?, _ caller: ControlCaller) async throws(RPCError) -> ControlResult {
        guard let route = routes[method] else { throw .methodNotFound(method, among: methods.map(\.name)) }
        return try await route.call(params, caller)
    }
}

/// The result of a method: one JSON object.
struct ControlResult: Sendable, JSONWritable {
    private let write: @Sendable (inout JSONWriter) -> Void
    /// Runs after the result has been sent on a connection.
    var afterSending: (@MainActor @Sendable () -> Void)?

    init(_ object: some JSONWritable & Sendable) { write = { object.write(to: &$0) } }

    init(members: @escaping @Sendable (inout JSONWriter) -> Void) { write = { $0.object(members) } }

    /// - Parameter text: the JSON text of an object.
    init(text: [UInt8]) { write = { $0.raw(text) } }

    static let empty = ControlResult(members: { _ in })

    static func value(_ value: ScriptValue) -> ControlResult {
        ControlResult(members: { value.write(to: &$0, key: "value") })
    }

    func write(to writer: inout JSONWriter) { write(&writer) }
}

/// The way in which a call arrived. Some methods, such as subscriptions, need a connection that stays open after the
/// answer.
enum ControlCaller {
    case http(HeldAnswers)
    /// Another node of the cluster passes a call on.
    case node
    case connection(ControlConnection)
}

/// The errors of several methods.
extension RPCError {
    /// An error with the message "`what` within 20 ms.", followed by `rest`: sentences that help to find the cause.
    static func waitTimedOut(_ what: String, after timeout: Duration, _ rest: String = "") -> RPCError {
        let milliseconds = (timeout / .milliseconds(1)).rounded()
        let text = "\(what) within \(JSONValue.number(milliseconds)) ms." + (rest.isEmpty ? "" : " \(rest)")
        return RPCError(.waitTimedOut, text, data: ["timeoutMs": .number(milliseconds)])
    }

    /// An error for an id that does not exist.
    /// - Parameter what: `stub` or `subscription`.
    static func noSuch(_ what: String, _ id: String, _ known: [String]) -> RPCError {
        let rest = known.isEmpty ? "There are no \(what)s." : "The \(what)s are: \(known.joined(separator: ", "))."
        return RPCError(
            .invalidParams, "Invalid params: /\(what): there is no \(what) '\(id.forText)'. \(rest)",
            data: .object([.init("\(what)s", .array(known.map(JSONValue.string)))]))
    }
}
