import ArgumentParser
import BridgeInput
import BridgeProcesses
import BridgeProtocol
import BridgeServer
import BridgeTraffic
import BridgeYAML
import Foundation

/// The `bridged` executable.
///
/// Every command states its name, because ArgumentParser takes 0.2 ms at every start for each name that it must derive
/// from a type.
@main struct Bridged: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bridged",
        abstract: "The native half of a hybrid app, without the phone.",
        discussion: """
            Web pages post messages with webkit.messageHandlers.nativeApp.postMessage(…); bridged receives them as an iOS app \
            would, answers by running scripts in the page, and shows all traffic.
            """,
        version: VersionText.text,
        subcommands: [
            Serve.self, Open.self, Run.self, Pages.self, Devices.self, Eval.self, Call.self, Post.self, Tail.self,
            Wait.self,
            StubCommand.self, Unstub.self, FaultCommand.self, Unfault.self, AppOrigin.self, Info.self,
            AppCommand.self, Explain.self, Repl.self, Doctor.self,
            TestCommand.self, TraceCommand.self, CassetteCommand.self, LogCommand.self, Compare.self, MCPCommand.self,
            PathCommand.self, Route.self,
        ],
        defaultSubcommand: Serve.self)

    /// Begins ArgumentParser's messages like those of ``CommandFailure``; its own prefix is "Error: ".
    static let _errorPrefix = "error: "

    /// Parses and runs a command. It replaces ArgumentParser's `main`, because a ``CommandFailure`` has its own exit
    /// code and is JSON if the command has the flag `--json`.
    static func main() {
        SettingName.isOption.store(true, ordering: .relaxed)
        Terminal.openStandardStreams()
        checkArguments()
        CertificateAuthorities.nameToOpenSSL()
        var command = parse()
        do {
            if servesPages(command), let problem = ThreadRoom.problem() { throw CommandFailure(problem, .failed) }
            try command.run()
        } catch let failure as CommandFailure {
            failure.report(asJSON: (command as? any JSONCommand)?.json ?? false)
            Foundation.exit(failure.code.rawValue)
        } catch let error where error is ValidationError || error is ExitCode || exitCode(for: error).isSuccess {
            exit(withError: error)
        } catch {
            // The text may quote a file, so it must not have several lines.
            Terminal.printError("\(_errorPrefix)\(TerminalText.escape("\(error)"))")
            Foundation.exit(Bridged.code(of: error))
        }
    }

    /// Ends the process if an argument is not UTF-8: Swift would replace its bytes, and so name another file.
    private static func checkArguments() {
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let argument = CommandLine.unsafeArgv[index], String(validatingCString: argument) == nil else {
                continue
            }
            let text = TerminalText.escape(String(cString: argument))
            CommandFailure("Argument \(index), '\(text)', is not UTF-8. Give the file another name.", .usage)
                .report(asJSON: false)
            Foundation.exit(CommandFailure.Code.usage.rawValue)
        }
    }

    /// Whether a command has a daemon, and so threads.
    private static func servesPages(_ command: any ParsableCommand) -> Bool {
        command is Serve || command is Open || command is Run || command is TestCommand
    }

    private static func code(of error: any Error) -> Int32 {
        if let error = error as? YAMLError, error.isUnreadable { return CommandFailure.Code.noInput.rawValue }
        let isMistake = error is YAMLError || error is SettingError
        return isMistake ? CommandFailure.Code.usage.rawValue : ExitCode.failure.rawValue
    }

    /// Returns the command, or prints the help, the version or what is wrong with the arguments.
    private static func parse() -> any ParsableCommand {
        if let command = parseNamedCommand() { return command }
        do {
            return try parseAsRoot()
        } catch {
            let code = exitCode(for: error)
            guard !code.isSuccess else { exit(withError: error) }
            Terminal.printError(unknownCommand(error) ?? fullMessage(for: error))
            Foundation.exit(code.rawValue)
        }
    }

    /// Parses only the command that the first argument names, because ArgumentParser otherwise reads the options of all
    /// commands more than once.
    ///
    /// - Returns: nil if there is no such command, or if its arguments ask for help or are wrong: then the text should be
    ///   that of the whole program.
    private static func parseNamedCommand() -> (any ParsableCommand)? {
        let arguments = CommandLine.arguments.dropFirst()
        let named = configuration.subcommands.first { $0.configuration.commandName == arguments.first }
        guard let named, let command = try? named.parseAsRoot(Array(arguments.dropFirst())) else { return nil }
        let isHelp = !([named] + named.configuration.subcommands).contains { $0 == type(of: command) }
        return isHelp ? nil : command
    }

    /// The error for a first argument that is no command, or an option before the command; ArgumentParser takes both for
    /// arguments of `serve`.
    private static func unknownCommand(_ error: any Error) -> String? {
        let names = configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
        let arguments = CommandLine.arguments.dropFirst()
        guard let name = arguments.first, !names.contains(name) else { return nil }
        if name.hasPrefix("-") {
            return arguments.first(where: names.contains).map { command in
                "\(fullMessage(for: error))\nIf \(command) is the command, write it first: bridged \(command) …"
            }
        }
        let nearest = EditDistance.nearest(to: name, in: names).map { " Did you mean \($0)?" } ?? ""
        return "\(_errorPrefix)There is no command '\(name)'.\(nearest) bridged --help lists all."
    }
}
