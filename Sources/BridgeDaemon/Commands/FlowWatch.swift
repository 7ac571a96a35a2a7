import BridgeProtocol
import BridgeTesting
import BridgeTraffic
import BridgeYAML
import Foundation
import UnixSignals

/// Runs `bridged test --watch`: runs flows, and again those that a changed file concerns.
@MainActor final class FlowWatch {
    private let command: TestCommand
    /// Whether a browser shows its window. Then the run pauses at a failure, with the page open, and what a person does in it
    /// is printed as steps.
    private let showsWindow: Bool
    /// Records what a person does at a pause; nil without one.
    private var recorder: FlowRecorder?

    init(command: TestCommand, showsWindow: Bool) { (self.command, self.showsWindow) = (command, showsWindow) }

    /// Runs until a signal comes.
    func run() async {
        Task {
            for await _ in await UnixSignalsSequence(trapping: .sigterm, .sigint) {
                recorder?.finish()
                Foundation.exit(0)
            }
        }
        /// The files of flows that have to run although they have not changed; nil for all.
        var due: Set<String>?
        /// The files that have changed since the latest run.
        var changed: Set<String> = []
        var watched = TestPlan.settingsFiles(of: command, [])
        while true {
            var files = FileStamps(of: command.flows, watched)
            var open: TestPlan?
            do {
                // The settings may have changed, too.
                let configurations = try ServeConfiguration.all(command.options)
                // One of these files may have the mistake that ends the plan.
                watched.formUnion(TestPlan.settingsFiles(of: command, configurations))
                let plan = try command.plan(configurations, showsWindow: showsWindow)
                open = plan
                watched = plan.files
                files = FileStamps(of: command.flows, watched)
                let flows = plan.flows.filter { flow in
                    guard let due, changed.isDisjoint(with: plan.settingsFiles) else { return true }
                    return due.contains(flow.file) || !changed.isDisjoint(with: flow.files)
                }
                let results = await command.report(plan.runs(of: flows), stopsAtFailure: showsWindow)
                plan.browsers.close()
                let hasFailed = results.contains { $0.failure != nil }
                let ran = Set(results.map(\.flow.file))
                due = Set(flows.map(\.file)).subtracting(ran)
                changed = []
                if showsWindow, hasFailed { recorder = plan.recordFailed { FlowWatch.say(step: $0) } }
                say(files, isPaused: recorder != nil)
            } catch {
                Terminal.printError("error: \(TerminalText.escape("\(FlowWatch.text(error))"))")
                // A file with a mistake may be one that a flow runs, or one that does not run it right.
                if let mistake = error as? YAMLError { watched.formUnion(mistake.otherFiles.union([mistake.file])) }
                files = FileStamps(of: command.flows, watched)
                say(files, isPaused: false)
            }
            let found = await files.change()
            changed.formUnion(found)
            recorder.take()?.finish()
            Terminal.print("\nChanged: \(TerminalText.escape(found.sorted().joined(separator: ", ")))")
            await open?.closeFailed()
        }
    }

    private static func text(_ error: any Error) -> String { (error as? CommandFailure)?.error.message ?? "\(error)" }

    /// Prints a step as it would be in the flow.
    private static func say(step: String) { Terminal.print("  - \(TerminalText.escapeJSON(step))") }

    private func say(_ files: FileStamps, isPaused: Bool) {
        if isPaused {
            Terminal.print("Paused at the failure, whose page stays open. What you do in it appears below as steps.")
        }
        Terminal.print("Watching \(files.count) files. Ctrl-C ends.")
    }
}

/// When files were last changed.
private struct FileStamps {
    private struct Stamp: Equatable {
        let date: Date?
        let size: Int?
        let number: Int?
    }

    private let paths: [String]
    private let others: Set<String>
    private var stamps: [String: Stamp]

    /// - Parameters:
    ///   - paths: files with flows, and folders, in which new files may appear.
    ///   - others: other files, which need not exist.
    init(of paths: [String], _ others: Set<String>) {
        (self.paths, self.others) = (paths, others)
        stamps = FileStamps.now(paths, others)
    }

    var count: Int { stamps.count }

    private static func now(_ paths: [String], _ others: Set<String>) -> [String: Stamp] {
        let listed = paths.flatMap { (try? FlowFiles.paths($0)) ?? [] }
        let files = others.union(listed).map { path in
            let found = (try? FileManager.default.attributesOfItem(atPath: path)) ?? [:]
            return (
                path,
                Stamp(
                    date: found[.modificationDate] as? Date, size: (found[.size] as? NSNumber)?.intValue,
                    number: (found[.systemFileNumber] as? NSNumber)?.intValue)
            )
        }
        return Dictionary(files, uniquingKeysWith: { $1 })
    }

    /// Waits until files change. There is no event for files in all systems and file systems, so this looks at them.
    /// - Returns: their paths.
    func change() async -> Set<String> {
        while true {
            let now = FileStamps.now(paths, others)
            let changed = Set(stamps.keys).union(now.keys).filter { stamps[$0] != now[$0] }
            if !changed.isEmpty { return changed }
            try? await Task.sleep(for: .milliseconds(150))
        }
    }
}
