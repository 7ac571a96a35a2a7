import ArgumentParser
import BridgeServer
import Foundation

/// The `bridged` executable.
///
/// Every command states its name: deriving names from types costs ArgumentParser 0.2 ms each, at every start.
@main struct Bridged: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bridged",
        abstract: "The native half of a hybrid app, without the phone.",
        discussion: """
            Web pages post messages with webkit.messageHandlers.nativeApp.postMessage(…); bridged receives them as an iOS app \
            would, answers by running scripts in the page, and shows all traffic.
            """,
        version: BridgeServer.version,
        subcommands: [
            Serve.self, Pages.self, Eval.self, Call.self, Post.self, Tail.self, Wait.self, StubCommand.self,
            Unstub.self, Info.self, AppCommand.self, Repl.self, Doctor.self, TestCommand.self, LogCommand.self,
            PathCommand.self, Route.self,
        ],
        defaultSubcommand: Serve.self)

    static let _errorPrefix = "error: "

    /// Replaces ArgumentParser's own, because a failure has its own exit code and, for programs, is JSON.
    static func main() {
        var json = false
        do {
            var command = try parseAsRoot()
            json = (command as? any JSONCommand)?.json ?? false
            try command.run()
        } catch let failure as CommandFailure {
            failure.report(asJSON: json)
            Foundation.exit(failure.code.rawValue)
        } catch {
            exit(withError: error)
        }
    }
}
