import BridgeProtocol

extension Control {
    func addAppMethods() {
        dispatcher.on(AppState.self) { [self] _, _ throws(RPCError) in
            ControlResult(JSONValue.object(try requireApp.state))
        }
        dispatcher.on(ListAppActions.self) { [self] _, _ throws(RPCError) in
            ControlResult(["actions": .array(try requireApp.actions.map(\.literal))] as JSONValue)
        }
        dispatcher.on(PerformAppAction.self) { [self] params, _ throws(RPCError) in
            let app = try requireApp
            let action = try action(params.action, of: app)
            let arguments = try action.read(params.arguments)
            do {
                try action.perform(arguments)
            } catch {
                throw .invalidRequest("\(action.name): \(error)")
            }
            return ControlResult(JSONValue.object(app.state))
        }
    }

    private var requireApp: any ControllableApp {
        get throws(RPCError) {
            guard let app else {
                throw .invalidRequest("this daemon emulates no app. `bridged serve` does; in Swift, set server.app.")
            }
            return app
        }
    }

    private func action(_ name: String, of app: any ControllableApp) throws(RPCError) -> AppAction {
        let actions = app.actions
        if let action = actions.first(where: { $0.name == name }) { return action }
        throw .invalidParams(at: "/action", unknown: name, among: actions.map(\.name))
    }
}

extension AppAction {
    fileprivate var literal: JSONValue {
        [
            "action": .string(name), "summary": .string(summary), "required": .array(required.map { .string($0) }),
            "optional": .array(optional.map { .string($0) }),
        ]
    }

    /// - Throws: `invalidParams` for an argument that is missing, is no string, or is not the action's.
    fileprivate func read(_ params: [String: JSON]) throws(RPCError) -> Arguments {
        var arguments: Arguments = [:]
        for (key, json) in params {
            guard (required + optional).contains(key) else {
                throw .invalidParams(at: "/\(key.forText)", unknown: key, among: required + optional)
            }
            guard let text = json.string else {
                throw .invalidParams(at: "/\(key)", "expected String, found \(json.summary)")
            }
            arguments[key] = text
        }
        for name in required where arguments[name] == nil {
            throw .invalidParams(at: "/\(name)", "expected String, found nothing")
        }
        return arguments
    }
}
