import ArgumentParser
import BridgeClient
import BridgeProtocol
import Foundation

/// `bridged mcp`
struct MCPCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract: "Let a language model use the daemon: a Model Context Protocol server.",
        discussion: """
            It reads requests from standard input and answers on standard output, one JSON object a line. Its tools are \
            the methods of the control channel, with _ for the dot, and test_flow. The daemon may start later.

            Examples:
              bridged mcp
              claude mcp add bridged -- bridged mcp

            Exit codes: 0 when standard input ends, 64 for a mistake in the arguments.
            """)

    @Option(
        help: ArgumentHelp(
            "The daemon's address. (default: BRIDGED_URL, or the only daemon that runs)", valueName: "url"))
    var url: String?

    func run() {
        LocalTraffic.bypassProxy()
        let finder = DaemonFinder(environment: ProcessInfo.processInfo.environment)
        let server = MCPServer(
            call: { [url] method, params throws(ClientError) in
                try DaemonClient(finder.find(url: url)).call(method, params)
            },
            testFlow: FlowProcess.run)
        while let line = readLine() {
            guard !line.allSatisfy(\.isWhitespace), let answer = server.answer(to: Array(line.utf8)) else { continue }
            Terminal.printJSON(answer)
        }
    }
}

/// Runs flows in a process of their own, so that its output is an answer.
private enum FlowProcess {
    /// Runs `bridged test`.
    /// - Returns: the output, and whether all flows passed.
    static func run(_ path: String) -> (output: String, hasPassed: Bool) {
        let process = Process()
        process.executableURL = Bundle.main.executableURL
        // A path that begins with a hyphen is no option.
        process.arguments = ["test", "--", path]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        process.standardInput = FileHandle.nullDevice
        do { try process.run() } catch { return ("bridged test can't start: \(error.localizedDescription)", false) }
        let output = (try? pipe.fileHandleForReading.readToEnd()) ?? nil
        process.waitUntilExit()
        return (String(decoding: output ?? Data(), as: UTF8.self), process.terminationStatus == 0)
    }
}
