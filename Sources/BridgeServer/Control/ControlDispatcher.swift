import BridgeProtocol

/// Calls the handler of a control method. Its list of methods is the source of `/openrpc.json`. On the main actor.
@MainActor final class ControlDispatcher {
    private struct Route {
        let description: ControlMethodDescription
        let call: @MainActor (JSON?, ControlCaller) async throws(RPCError) -> ControlResult
    }

    /// Lets another daemon of a cluster answer a call. Nil if this one is to answer.
    var answerElsewhere:
        @MainActor (_ method: String, CallSubject, _ node: String?, JSON?) async throws(RPCError) -> ControlResult? = {
            _, _, _, _ throws(RPCError) in nil
        }
    private var routes: [String: Route] = [:]
    /// The methods, in the order in which they were registered.
    private(set) var methods: [ControlMethodDescription] = []

    /// Registers the handler of a method.
    func on<M: ControlMethod>(
        _ method: M.Type, _ answer: @escaping @MainActor (M, ControlCaller) async throws(RPCError) -> ControlResult
    ) {
        let description = ControlMethodDescription(method)
        methods.append(description)
        routes[M.name] = Route(description: description) { [unowned self] params, caller throws(RPCError) in
            let (method, node) = try description.read(method, from: params)
            // A call that another node has passed on is answered here.
            if case .node = caller { return try await answer(method, caller) }
            if let result = try await answerElsewhere(M.name, method.subject, node, params) { return result }
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
    case http
    /// Another node of the cluster passes a call on.
    case node
    case connection(ControlConnection)
}
