import ArgumentParser
import BridgeClient
import BridgeProtocol
import BridgeTraffic
import Foundation

/// `bridged repl`
struct Repl: ClientCommand {
    static let configuration = clientConfiguration(
        "repl", "Run JavaScript in a page, line by line.",
        """
        On a terminal, Tab completes names, the arrow keys recall the history, and Ctrl-D ends. From a pipe it runs \
        all lines, goes on after an error, and exits with 1 if there was one.

        Examples:
          bridged repl
          bridged repl --web-view modal
          printf '%s\\n' 'document.title' 'location.href' | bridged repl
        """)

    @OptionGroup var page: PageOptions
    @OptionGroup var timeout: TimeoutOptions
    @OptionGroup var options: ClientOptions

    func run(_ daemon: DaemonClient) throws {
        var hasFailed = false
        let nextLine = Terminal.isInteractive ? lineReader(daemon).next : { readLine() }
        while let line = nextLine() {
            guard !line.allSatisfy(\.isWhitespace) else { continue }
            do throws(ClientError) {
                printScriptValue(try evaluate(line, daemon))
            } catch {
                guard case .error = error else { throw CommandFailure(error) }
                CommandFailure(error).report(asJSON: options.json)
                hasFailed = true
            }
        }
        if hasFailed, !Terminal.isInteractive { throw ExitCode(CommandFailure.Code.failed.rawValue) }
    }

    private func evaluate(_ source: String, _ daemon: DaemonClient) throws(ClientError) -> JSON {
        try daemon.call("script.evaluate", page.params + timeout.params + [.init("source", .string(source))])
    }

    private func lineReader(_ daemon: DaemonClient) -> LineReader {
        let environment = ProcessInfo.processInfo.environment
        let state = environment["XDG_STATE_HOME"] ?? environment["HOME"].map { "\($0)/.local/state" }
        return LineReader(historyPath: state.map { "\($0)/bridged/history" }) { word in
            guard let completion = Completion(of: word),
                let found = try? evaluate(completion.script, daemon)["value"]
            else { return [] }
            var names: [String] = []
            found.forEachElement { element in
                // libedit prints the names as they are.
                if let name = element.string, name == TerminalText.escape(name) { names.append(name) }
            }
            let beginning = word.dropLast(completion.prefix.count)
            return names.isEmpty ? [] : [word + completion.rest(names)] + names.map { beginning + $0 }
        }
    }
}
