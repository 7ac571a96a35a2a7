import BridgeProtocol

/// What tools see of the app, and do in it. On the main actor.
@MainActor final class AppMethods {
    weak var app: (any ControllableApp)?

    /// How long an action waits for its visit.
    private static let visitTimeout = Duration.seconds(30)

    func install(in dispatcher: ControlDispatcher, _ loads: PageLoads) {
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
                result = try await loads.perform(
                    params.action, arguments, in: app,
                    visitsEndWithin: params.waits ? AppMethods.visitTimeout : nil)
            } catch let error as ActionError {
                throw error.rpcError
            } catch let error as RPCError {
                throw error
            } catch {
                throw .invalidRequest("\(params.action): \(error)")
            }
            let why = JSONValue.array(result.why.map { .string($0) })
            return ControlResult(JSONValue.object(app.state + [.init("why", why)]))
        }
        dispatcher.on(WaitForApp.self) { [self] params, _ throws(RPCError) in
            if let found = await (try requireApp).wait(for: params.state, within: params.timeout) {
                let rest = "The state has \(found.text)."
                throw .waitTimedOut("The app did not show \(params.state.json)", after: params.timeout, rest)
            }
            return ControlResult(JSONValue.object(try requireApp.state))
        }
        dispatcher.on(DeclareComponents.self) { [self] params, _ throws(RPCError) in
            let app = try requireApp
            do { try app.declare(components: params.components) } catch {
                throw .invalidParams(at: "/components", "\(error)")
            }
            return .empty
        }
        dispatcher.on(StubComponent.self) { [self] params, _ throws(RPCError) in
            let app = try requireApp
            do { try app.stub(component: params.component, event: params.event, response: params.response) } catch {
                throw .invalidParams(at: "/response", "\(error)")
            }
            return .empty
        }
        dispatcher.on(ResetComponents.self) { [self] _, _ throws(RPCError) in
            try requireApp.resetComponents()
            return .empty
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

extension ControllableApp {
    /// Waits until the app's state contains a subset.
    /// - Returns: what its members are instead, if the time is over; nil if it does.
    package func wait(for subset: ScriptValue, within timeout: Duration) async -> JSONValue? {
        let deadline = ContinuousClock.now + timeout
        while true {
            if ScriptValue(.object(state)).contains(subset: subset) { return nil }
            guard ContinuousClock.now < deadline, (try? await Task.sleep(for: .milliseconds(20))) != nil else {
                return .object(state.filter { subset.child($0.key) != nil })
            }
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
