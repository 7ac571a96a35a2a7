import BridgeProtocol

/// What tools see of the app, and do in it. On the main actor.
@MainActor final class AppMethods {
    weak var app: (any ControllableApp)?

    func install(in dispatcher: ControlDispatcher) {
        dispatcher.on(AppState.self) { [self] _, _ throws(RPCError) in
            ControlResult(JSONValue.object(try requireApp.state))
        }
        dispatcher.on(ListAppActions.self) { [self] _, _ throws(RPCError) in
            ControlResult(["actions": .array(try requireApp.actions.map(\.json))] as JSONValue)
        }
        dispatcher.on(PerformAppAction.self) { [self] params, _ throws(RPCError) in
            let app = try requireApp
            let arguments = try params.texts()
            let result: ActionResult
            do {
                result = try app.perform(params.action, arguments)
                try await result.arrive()
            } catch let error as ActionError {
                throw error.rpcError
            } catch {
                throw .invalidRequest("\(params.action): \(error)")
            }
            let why = JSONValue.array(result.why.map { .string($0) })
            return ControlResult(JSONValue.object(app.state + [.init("why", why)]))
        }
        dispatcher.on(ExplainAppURL.self) { [self] params, _ throws(RPCError) in
            try explain { try $0.explain(params.url) }
        }
        dispatcher.on(ExplainVisits.self) { [self] params, _ throws(RPCError) in
            try explain { try $0.explainVisits(to: params.url, last: params.last) }
        }
    }

    private func explain(
        _ explanation: (any ControllableApp) throws -> any JSONWritable & Sendable
    ) throws(RPCError) -> ControlResult {
        let app = try requireApp
        do { return ControlResult(try explanation(app)) } catch { throw .invalidParams(at: "/url", "\(error)") }
    }

    private var requireApp: any ControllableApp {
        get throws(RPCError) {
            guard let app else {
                throw .invalidRequest("this daemon emulates no app. `bridged serve` does; in Swift, set server.app.")
            }
            return app
        }
    }
}

extension PerformAppAction {
    /// Returns the arguments of the action.
    /// - Throws: `invalidParams` for an argument that is not a string.
    fileprivate func texts() throws(RPCError) -> Action.Arguments {
        var texts: Action.Arguments = [:]
        for (name, json) in arguments.sorted(by: { $0.key < $1.key }) {
            guard let text = json.string else {
                throw .invalidParams(at: "/\(name)", "expected String, found \(json.summary)")
            }
            texts[name] = text
        }
        return texts
    }
}

extension ActionError {
    fileprivate var rpcError: RPCError {
        switch self {
        case .unknownAction(let name, let names): .invalidParams(at: "/action", unknown: name, among: names)
        case .unknownArgument(let name, let action), .tooManyArguments(let name, let action):
            .invalidParams(at: "/\(name.forText)", unknown: name, among: action.parameters)
        case .missingArgument(let name, _): .invalidParams(at: "/\(name)", "expected String, found nothing")
        }
    }
}
