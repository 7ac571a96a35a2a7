import BridgeProtocol

extension Control {
    func addShellMethods() {
        dispatcher.on(ShellState.self) { [self] _, _ throws(RPCError) in
            ControlResult(JSONLiteral.object(try someShell.state))
        }
        dispatcher.on(ListShellActions.self) { [self] _, _ throws(RPCError) in
            ControlResult(["actions": .array(try someShell.actions.map(\.literal))] as JSONLiteral)
        }
        dispatcher.on(PerformShellAction.self) { [self] params, _ throws(RPCError) in
            let shell = try someShell
            let action = try action(params.action, of: shell)
            let arguments = try action.read(params.arguments)
            do {
                try action.perform(arguments)
            } catch {
                throw .invalidRequest("\(action.name): \(error)")
            }
            return ControlResult(JSONLiteral.object(shell.state))
        }
    }

    private var someShell: any ControllableShell {
        get throws(RPCError) {
            guard let shell else {
                throw .invalidRequest("this daemon emulates no app. `bridged serve` does; in Swift, set server.shell.")
            }
            return shell
        }
    }

    private func action(_ name: String, of shell: any ControllableShell) throws(RPCError) -> ShellAction {
        let actions = shell.actions
        if let action = actions.first(where: { $0.name == name }) { return action }
        throw .invalidParams(at: "/action", unknown: name, among: actions.map(\.name))
    }
}

extension ShellAction {
    fileprivate var literal: JSONLiteral {
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
