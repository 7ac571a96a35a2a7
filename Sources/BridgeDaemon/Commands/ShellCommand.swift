import ArgumentParser
import BridgeClient
import BridgeProtocol

/// `bridged app`
struct AppCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract: "Show the emulated app, or do what its user would.",
        discussion: """
            Prints the app's state, after the action where one is given. docs/emulate.md lists the actions; a wrong one is \
            answered with those that there are.

            Examples:
              bridged app
              bridged app back
              bridged app visit url=/posts/new
              bridged app | jq '.main[].url'

            \(ExitCodes.text)
            """)

    @Argument(help: "Such as back, tapActionButton, visit, signIn.")
    var action: String?

    @Argument(help: ArgumentHelp("What the action takes, each as name=text.", valueName: "argument"))
    var arguments: [String] = []

    @OptionGroup var options: ClientOptions

    func validate() throws {
        for argument in arguments where !argument.contains("=") {
            throw ValidationError("'\(argument)' is no argument of an action. Give it as name=text: url=/posts.")
        }
    }

    func run(_ daemon: DaemonClient) throws {
        guard let action else { return Terminal.print(try daemon.call("app.state")) }
        let members = arguments.map { argument in
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return JSONValue.Member(String(parts[0]), .string(String(parts[1])))
        }
        Terminal.print(try daemon.call("app.perform", [.init("action", .string(action))] + members))
    }
}
