import ArgumentParser
import BridgeClient
import BridgeProtocol
import BridgeServer
import BridgeTraffic
import EmulatedApp

/// `bridged app`
struct AppCommand: ClientCommand {
    static let configuration = clientConfiguration(
        "app", "Show the emulated app, or do what its user would.",
        """
        Without an action it prints what the app shows, with --json the whole state. An action that leaves the screen waits for the visit before it, each for its own, and prints the stacks after it and why they changed, or the state
        with --json. One that changes nothing, or whose reply does not reach the page, fails with the reason.
        Arguments follow the action in the order of --list, or as name=text. --name means name=true.

        Examples:
          bridged app
          bridged app --json | jq '.main[].url'
          bridged app back
          bridged app visit /posts/new
          bridged app menu.select 2
          bridged app signIn email=me@example.com password=secret
          bridged app --list
        """)

    @Argument(help: "Such as back, visit or form.submit.")
    var action: String?

    @Argument(parsing: .allUnrecognized, help: ArgumentHelp("The action's arguments.", valueName: "argument"))
    var arguments: [String] = []

    @Flag(help: "List the actions that are possible now, with their arguments.")
    var list = false

    @Flag(inversion: .prefixedNo, help: "Wait for the visit before an action that leaves the screen, and for its own.")
    var wait = true

    @OptionGroup var options: ClientOptions

    func validate() throws {
        if list, let action {
            throw ValidationError("--list lists all actions: leave out \(TerminalText.escape(action)).")
        }
    }

    func run(_ daemon: DaemonClient) throws {
        if list {
            for action in try actions(daemon) {
                if options.json { Terminal.print(action.json) } else { Terminal.print(action.usage) }
            }
        } else if let action {
            let params = try arguments(of: action, daemon).map { JSONValue.Member($0.key, .string($0.value)) }
            let state = try daemon.call(
                "app.perform", [.init("action", .string(action)), .init("wait", .bool(wait))] + params)
            guard !options.json else { return Terminal.print(state) }
            var why: [String] = []
            state["why"]?.forEachElement { why.append($0.string ?? "") }
            let because = why.isEmpty ? "" : "   because \(why.joined(separator: ", and "))"
            Terminal.print(TerminalText.escape("\(StackLine(appState: state))\(because)"))
        } else {
            let state = try daemon.call("app.state")
            if options.json { Terminal.print(state) } else { AppStateText(state).lines.forEach { Terminal.print($0) } }
        }
    }

    /// Gives each argument its name. The daemon checks the action and its arguments.
    private func arguments(of name: String, _ daemon: DaemonClient) throws -> Action.Arguments {
        guard !arguments.isEmpty, let action = try actions(daemon).first(where: { $0.name == name }) else { return [:] }
        do throws(ActionError) { return try action.arguments(from: arguments) } catch {
            throw CommandFailure("\(error) bridged app --list describes every action.", .usage)
        }
    }

    private func actions(_ daemon: DaemonClient) throws -> [Action] {
        var actions: [Action] = []
        try daemon.call("app.actions")["actions"]?.forEachElement { json in
            if let action = Action(json) { actions.append(action) }
        }
        return actions
    }
}

extension Action {
    /// The action as a line of `--list`, such as `visit <url> [visitAction]  The app's own code routes to a URL.`
    fileprivate var usage: String {
        let parts = [name] + required.map { "<\($0)>" } + optional.map { "[\($0)]" }
        return "\(parts.joined(separator: " "))  \(summary)"
    }
}
