import ArgumentParser
import BridgeServer

/// The `bridged` executable.
@main struct Bridged: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bridged",
        abstract: "The native half of a hybrid app, without the phone.",
        discussion: """
            Web pages post messages with webkit.messageHandlers.nativeApp.postMessage(…); bridged receives them as an iOS app \
            would, answers by running script in the page, and shows everything that crosses.
            """,
        version: BridgeServer.version,
        subcommands: [Serve.self, PathCommand.self, Route.self],
        defaultSubcommand: Serve.self)
}
