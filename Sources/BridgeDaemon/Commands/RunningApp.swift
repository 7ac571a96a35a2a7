import AppBuild
import BridgeBrowsers
import BridgeClient
import BridgeProcesses
import BridgeProtocol
import BridgeTraffic
import Foundation
import UnixSignals

/// The app of `bridged run`, and the browser with its web views.
@MainActor struct RunningApp {
    let command: Run
    /// The app's executable.
    private let executable: URL
    /// What the app finds in its environment, beside what belongs to this run.
    private let environment: [String: String]
    private let errors = PassedErrors()

    init(command: Run, app: BuiltApp, environment: [String: String]) {
        (self.command, executable, self.environment) = (command, app.executable, environment)
    }

    /// Runs until a signal comes, the app ends, or the browser does.
    /// - Returns: the exit code.
    func run() async -> Int32 {
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        let (ends, end) = AsyncStream.makeStream(of: Ending.self)
        do {
            let process = try start()
            defer { process.end() }
            process.whenEnded { _ in end.yield(.app) }
            Task {
                for await _ in signals { end.yield(.signal) }
            }
            guard let daemon = try await endpoint(of: process), let link = DaemonLink(daemon) else { return 1 }
            showTraffic(of: daemon)
            let browser = try await browser(link, end)
            defer { browser.close() }
            Terminal.printError("\(executable.lastPathComponent) runs. Its state: bridged app. End it: Ctrl-C.")
            for await ending in ends { return exitCode(ending) }
        } catch {
            // A daemon that cannot be reached may be one that crashed.
            let reason = CrashReason(errors.text()).map { "The app crashed: \($0.text)" }
            Terminal.printError("error: \(TerminalText.escape(reason ?? "\(error)"))")
            return 1
        }
        return 0
    }

    private enum Ending: Sendable {
        case signal
        case app
        case browser(String?)
    }

    private func exitCode(_ ending: Ending) -> Int32 {
        switch ending {
        case .signal: return 0
        case .browser(let reason):
            if let reason { Terminal.printError("bridged: \(TerminalText.escape(reason))") }
            return 0
        case .app:
            Terminal.printError("error: \(explanation("has ended by itself"))")
            return 1
        }
    }

    /// Says why the app crashed, if it did.
    /// - Parameter text: what became of it otherwise.
    private func explanation(_ text: String) -> String {
        guard let reason = CrashReason(errors.text()) else { return "The app \(text). Its last lines are above." }
        return "The app crashed: \(TerminalText.escape(reason.text))"
    }

    private func start() throws -> ChildProcess {
        let home = try AppHome.lasting(of: executable)
        try home.make()
        let environment = environment.merging([
            "BRIDGED_PORT": "\(command.port ?? DaemonEndpoint.defaultPort)", "BRIDGED_SHOWS_TRAFFIC": "1",
        ]) { $1 }.merging(home.environment) { $1 }
            .merging(CrashReason.environment(ProcessInfo.processInfo.environment)) { $1 }
        let process = try ChildProcess(
            executable, environment: environment, output: .standardOutput, errors: .pipe(errors.pipe))
        errors.start()
        return process
    }

    /// Waits until the app's daemon has published its address.
    private func endpoint(of process: ChildProcess) async throws -> DaemonEndpoint? {
        let finder = DaemonFinder(environment: ProcessInfo.processInfo.environment)
        while process.isRunning {
            if let own = finder.running.first(where: { $0.pid == Int(process.id) }) { return own }
            try await Task.sleep(for: .milliseconds(20))
        }
        Terminal.printError("error: \(explanation("has ended before it listened"))")
        return nil
    }

    /// Prints the traffic, between what the app itself prints, until the process ends.
    private func showTraffic(of daemon: DaemonEndpoint) {
        Thread.detachNewThread {
            var output = TailOutput(.readable)
            // It ends when the app does, which is reported elsewhere.
            try? DaemonClient(daemon).readLines(of: "traffic", query: ["follow": "1"]) { output.write($0) }
        }
    }

    /// Starts the browser with the window of the first web view. The app asks it for the others.
    private func browser(
        _ link: DaemonLink, _ end: AsyncStream<Ending>.Continuation
    ) async throws -> any DrivenBrowser {
        var options = LaunchOptions()
        options.isHeadless = !command.windows
        options.device = .iPhone
        return try await command.engine.found().open(nil, at: link, options) { end.yield(.browser($0)) }
    }
}
