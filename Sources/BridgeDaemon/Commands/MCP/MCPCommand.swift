import ArgumentParser
import BridgeClient
import BridgeInput
import BridgeProcesses
import BridgeProtocol
import BridgeServer
import EmulatedApp
import Foundation

/// `bridged mcp`
struct MCPCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract: "Let a language model use the daemon: a Model Context Protocol server.",
        discussion: """
            It reads requests from standard input and answers on standard output, one JSON object a line. Its tools are \
            the methods of the control channel, with _ for the dot, and doctor, test_flow, daemon_start and daemon_stop. \
            The daemon may start later.

            Examples:
              bridged mcp
              claude mcp add bridged -- bridged mcp

            Exit codes: 0 when standard input ends, 64 for a mistake in the arguments.
            """)

    @Option(
        help: ArgumentHelp(
            "The daemon's address. (default: BRIDGED_URL, or the only daemon that runs)", valueName: "url"))
    var url: String?

    func run() throws {
        LocalTraffic.bypassProxy()
        let (methods, actions) = try MainActor.assumeIsolated {
            let server = try BridgeServer()
            return (try JSON.parse(Array(server.openRPC.text.utf8)), try EmulatedApp(server: server).actions)
        }
        let daemon = MCPDaemon(finder: DaemonFinder(environment: ProcessInfo.processInfo.environment), url: url)
        defer { _ = daemon.stop() }
        let tools = MCPOwnTools(
            run: MCPDaemon.run, startDaemon: daemon.start, stopDaemon: daemon.stop,
            diagnose: { address throws(ClientError) in
                try Doctor.diagnosis(DaemonClient(daemon.find()), address: address).findings
            })
        let server = MCPServer(
            methods: methods, actions: actions, ownTools: tools,
            call: { method, params throws(ClientError) in try DaemonClient(daemon.find()).call(method, params) })
        var lines = InputLines()
        while let line = lines.next() {
            if let answer = server.answer(to: line) { Terminal.printJSON(answer) }
        }
    }
}

/// The daemon that the tools call: the one that this process has started, or else the one that runs.
private final class MCPDaemon {
    /// How long a daemon may take to start, with its browser.
    private static let startTime = Duration.seconds(60)
    /// How long a daemon may take to end, which is more than `BridgeServer.stop` takes.
    private static let endTime = Duration.seconds(15)

    private let finder: DaemonFinder
    private let url: String?
    private var started: (process: ChildProcess, endpoint: DaemonEndpoint)?

    init(finder: DaemonFinder, url: String?) { (self.finder, self.url) = (finder, url) }

    func find() throws(ClientError) -> DaemonEndpoint {
        if let started, isRunning(started.process) { return started.endpoint }
        return try finder.find(url: url)
    }

    private func isRunning(_ process: ChildProcess) -> Bool { endpoint(of: process) != nil }

    private func endpoint(of process: ChildProcess) -> DaemonEndpoint? {
        finder.running.first { $0.pid == Int(process.id) }
    }

    func start(_ arguments: [String]) -> MCPResult {
        if let running = try? find() {
            return MCPResult("A daemon runs already, at \(running.url).", structured: ["url": .string(running.url)])
        }
        do {
            let (process, errors) = try Self.launch(arguments)
            let hasEnded = DispatchSemaphore(value: 0)
            process.whenEnded { _ in hasEnded.signal() }
            let deadline = ContinuousClock.now + Self.startTime
            while hasEnded.wait(timeout: .now() + 0.05) == .timedOut, ContinuousClock.now < deadline {
                if let endpoint = endpoint(of: process) {
                    started = (process, endpoint)
                    return MCPResult(
                        "The daemon has started at \(endpoint.url). pages_wait waits for its page.",
                        structured: ["url": .string(endpoint.url)])
                }
            }
            process.end()
            try errors.seek(toOffset: 0)
            let text = String(decoding: try errors.readToEnd() ?? Data(), as: UTF8.self)
            return MCPResult("The daemon did not start. \(text)", isError: true)
        } catch {
            return MCPResult("The daemon can't start: \(error.localizedDescription)", isError: true)
        }
    }

    func stop() -> MCPResult {
        guard let (process, _) = started, isRunning(process) else {
            return MCPResult("daemon_start has started no daemon that runs.", isError: true)
        }
        started = nil
        // The daemon ends its browser when a signal ends it.
        process.endInOrder(within: Self.endTime)
        return MCPResult("The daemon has ended.")
    }

    /// Starts `bridged` with these arguments.
    /// - Returns: also the file with its errors, which has no name: nobody reads a pipe while the daemon runs.
    private static func launch(_ arguments: [String]) throws -> (process: ChildProcess, errors: FileHandle) {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("bridged-mcp-\(UUID())")
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let errors = try FileHandle(forUpdating: file)
        return (try ChildProcess(executable, arguments, errors: .file(errors)), errors)
    }

    /// This program.
    private static var executable: URL {
        Bundle.main.executableURL ?? URL(fileURLWithPath: ProcessInfo.processInfo.arguments.first ?? "bridged")
    }

    /// Runs `bridged` in a process of its own, so that its output is an answer.
    /// - Returns: the output, and whether it ended with 0.
    static func run(_ arguments: [String]) -> (output: String, hasPassed: Bool) {
        let pipe = Pipe.withoutInheritance()
        do {
            let process = try ChildProcess(executable, arguments, output: .pipe(pipe), errors: .pipe(pipe))
            let output = try pipe.fileHandleForReading.readToEnd()
            return (String(decoding: output ?? Data(), as: UTF8.self), process.waitForEnd().isSuccess)
        } catch {
            return ("bridged can't start: \(error.localizedDescription)", false)
        }
    }
}
