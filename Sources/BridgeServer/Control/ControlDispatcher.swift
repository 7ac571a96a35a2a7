import BridgeProtocol

/// Calls the handler of a control method. Its list of methods is the source of `/openrpc.json`. On the main actor.
@MainActor final class ControlDispatcher {
    private struct Route {
        let description: ControlMethodDescription
        let call: @MainActor (JSON?, ControlCaller) async throws(RPCError) -> ControlResult
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
        routes[M.name] = Route(description: description) { params, caller throws(RPCError) in
            try await answer(description.read(method, from: params), caller)
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

    static let empty = ControlResult(members: { _ in })

    static func value(_ value: ScriptValue) -> ControlResult {
        ControlResult(members: { value.write(to: &$0, key: "value") })
    }

    func write(to writer: inout JSONWriter) { write(&writer) }
}

/// The way in which a call came. Some methods, such as subscriptions, need a connection that stays open after the
/// answer.
enum ControlCaller {
    case http
    case connection(ControlConnection)
}
