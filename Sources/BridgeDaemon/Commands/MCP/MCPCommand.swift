import ArgumentParser
import BridgeClient
import BridgeInput
import BridgeProcesses
import BridgeProtocol
import BridgeServer
import EmulatedApp
import Foundation
import Synchronization

/// `bridged mcp`
struct MCPCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract: "Let a language model use the daemon: a Model Context Protocol server.",
        discussion: """
            It reads requests from standard input and answers on standard output, one JSON object a line. Its tools are \
            the methods of the control channel, with _ for the dot, and doctor, test_flow, daemon_start and daemon_stop. \
            The daemon may start later. Calls are answered in order, but messages_wait, doctor and test_flow run beside the others; \
            notifications/cancelled ends one. When standard input ends, calls have half a second to end.

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
        let (methods, actions, builtIn) = try MainActor.assumeIsolated {
            let server = try BridgeServer()
            return (
                try JSON.parse(Array(server.openRPC.text.utf8)), try EmulatedApp(server: server).actions,
                BridgeComponent.builtIn.map { $0.name }
            )
        }
        let daemon = MCPDaemon(finder: DaemonFinder(environment: ProcessInfo.processInfo.environment), url: url)
        defer { _ = daemon.stop() }
        let client: @Sendable (MCPCall) throws(ClientError) -> DaemonClient = { call throws(ClientError) in
            DaemonClient(try daemon.find(), isCancelled: { call.isCancelled })
        }
        let tools = MCPOwnTools(
            run: { MCPDaemon.run($0, within: $1) }, startDaemon: { daemon.start($0, within: $1) },
            stopDaemon: { daemon.stop() },
            diagnose: { address, call throws(ClientError) in
                let client = try client(call)
                return try Diagnosis(client, address: address, builtIn: builtIn, scriptTag: client.scriptTag).findings
            })
        let server = MCPServer(
            methods: methods, actions: actions, ownTools: tools,
            callMethod: { method, params, call throws(ClientError) in try client(call).call(method, params) })
        let session = MCPSession(server) { Terminal.printJSON($0) }
        var lines = InputLines()
        while let line = lines.next() { session.receive(line) }
        session.end()
    }
}

/// The daemon that the tools call: the one that this process has started, or else the one that runs.
private final class MCPDaemon: Sendable {
    private typealias Started = (process: ChildProcess, endpoint: DaemonEndpoint)

    /// How long a daemon may take to start, with its browser.
    private static let startTime = Duration.seconds(60)
    /// How long a daemon may take to end, which is more than `BridgeServer.stop` takes.
    private static let endTime = Duration.seconds(15)

    private let finder: DaemonFinder
    private let url: String?
    /// Locked while a daemon starts or ends: calls that come meanwhile wait, and so find the one that is there afterwards.
    private let started = Mutex<Started?>(nil)

    init(finder: DaemonFinder, url: String?) { (self.finder, self.url) = (finder, url) }

    func find() throws(ClientError) -> DaemonEndpoint {
        try started.withLock { started throws(ClientError) in try find(started) }
    }

    private func find(_ started: Started?) throws(ClientError) -> DaemonEndpoint {
        if let started, endpoint(of: started.process) != nil { return started.endpoint }
        return try finder.find(url: url)
    }

    private func endpoint(of process: ChildProcess) -> DaemonEndpoint? {
        finder.running.first { $0.pid == Int(process.id) }
    }

    func start(_ arguments: [String], within call: MCPCall) -> MCPResult {
        started.withLock { started in
            if let running = try? find(started) {
                return MCPResult("A daemon runs already, at \(running.url).", structured: ["url": .string(running.url)])
            }
            guard !call.isCancelled else { return MCPResult("The call was cancelled.", isError: true) }
            do {
                let (process, errors) = try Self.launch(arguments)
                guard let endpoint = waitForEndpoint(of: process, call) else {
                    process.end()
                    try errors.seek(toOffset: 0)
                    let text = String(decoding: try errors.readToEnd() ?? Data(), as: UTF8.self)
                    return MCPResult("The daemon did not start. \(text)", isError: true)
                }
                started = (process, endpoint)
                return MCPResult(
                    "The daemon has started at \(endpoint.url). pages_wait waits for its page.",
                    structured: ["url": .string(endpoint.url)])
            } catch {
                return MCPResult("The daemon can't start: \(error.localizedDescription)", isError: true)
            }
        }
    }

    /// - Returns: nil if the daemon ends, takes too long, or nobody waits for it any more.
    private func waitForEndpoint(of process: ChildProcess, _ call: MCPCall) -> DaemonEndpoint? {
        let deadline = ContinuousClock.now + Self.startTime
        while process.waitForEnd(within: .milliseconds(50)) == nil, ContinuousClock.now < deadline, !call.isCancelled {
            if let endpoint = endpoint(of: process) { return endpoint }
        }
        return nil
    }

    func stop() -> MCPResult {
        started.withLock { started in
            guard let (process, _) = started.take(), endpoint(of: process) != nil else {
                return MCPResult("daemon_start has started no daemon that runs.", isError: true)
            }
            // The daemon ends its browser when a signal ends it.
            process.endInOrder(within: Self.endTime)
            return MCPResult("The daemon has ended.")
        }
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

    /// Runs `bridged` in a process of its own, so that its output is an answer. It ends when the call is cancelled.
    /// - Returns: the output, and whether it ended with 0.
    static func run(_ arguments: [String], within call: MCPCall) -> (output: String, hasPassed: Bool) {
        let pipe = Pipe.withoutInheritance()
        do {
            let process = try ChildProcess(executable, arguments, output: .pipe(pipe), errors: .pipe(pipe))
            call.onCancel { process.signalGroup(SIGKILL) }
            let output = try pipe.fileHandleForReading.readToEnd()
            return (String(decoding: output ?? Data(), as: UTF8.self), process.waitForEnd().isSuccess)
        } catch {
            return ("bridged can't start: \(error.localizedDescription)", false)
        }
    }
}
