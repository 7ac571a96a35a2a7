import ArgumentParser
import BridgeClient
import BridgeProtocol
import Foundation

struct Repl: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "repl",
        abstract: "Run JavaScript in a page, line by line.",
        discussion: """
            On a terminal, Tab completes names, the arrows go through the history, Ctrl-D ends. Otherwise it reads \
            standard input to its end, goes on after errors, and exits with 1 if there was one.

            Examples:
              bridged repl
              bridged repl --web-view modal
              printf '%s\\n' 'document.title' 'location.href' | bridged repl

            \(ExitCodes.text)
            """)

    @OptionGroup var page: PageOptions
    @OptionGroup var timeout: TimeoutOptions
    @OptionGroup var options: ClientOptions

    func run(_ daemon: DaemonClient) throws {
        var failed = false
        let read = Terminal.isInteractive ? interactiveLines(daemon) : { readLine() }
        while let line = read() {
            guard !line.allSatisfy(\.isWhitespace) else { continue }
            do throws(ClientError) {
                let result = try evaluate(line, daemon)
                Terminal.print(options.json ? result.text : JSON.show(result))
            } catch {
                guard case .error = error else { throw CommandFailure(error) }
                CommandFailure(error).report(asJSON: options.json)
                failed = true
            }
        }
        if failed, !Terminal.isInteractive { throw ExitCode(CommandFailure.Code.failed.rawValue) }
    }

    private func evaluate(_ source: String, _ daemon: DaemonClient) throws(ClientError) -> JSON {
        try daemon.call("script.evaluate", page.params + timeout.params + [.init("source", .string(source))])
    }

    private func interactiveLines(_ daemon: DaemonClient) -> () -> String? {
        let environment = ProcessInfo.processInfo.environment
        let state = environment["XDG_STATE_HOME"] ?? environment["HOME"].map { "\($0)/.local/state" }
        let reader = LineReader(prompt: "> ", historyPath: state.map { "\($0)/bridged/history" }) { text in
            guard let completion = Completion(of: text),
                let found = try? evaluate(completion.script, daemon)["value"]
            else { return ([], "") }
            var names: [String] = []
            found.forEachElement { names.append($0.string ?? "") }
            return (names, completion.rest(names))
        }
        return { reader.next() }
    }
}
