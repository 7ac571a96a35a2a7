import BridgeProtocol
import Foundation

/// The process of a driven browser, from its start until it is closed or ends by itself.
@MainActor package final class DrivenProcess {
    let engine: BrowserEngine
    private let process: BrowserProcess
    private(set) var isClosed = false
    /// Whether it has ended because its user closed the last window.
    private(set) var hasClosedWindows = false
    /// Called once if the browser ends by itself, with a sentence for people.
    var onEnd: (@MainActor (String) -> Void)?
    /// Called once with the reason before the browser is killed, to let go of its windows and of the connection to it.
    var onClose: @MainActor (String) -> Void = { _ in }
    /// How long the browser may take to end by itself after `onClose`.
    var grace = Duration.zero

    init(_ engine: BrowserEngine) throws {
        self.engine = engine
        process = try BrowserProcess(keep: engine.keepProfile)
    }

    var profile: URL { process.profile }

    /// The number of the process, and of the group with all processes of the browser.
    var id: Int32 { process.id }

    /// Starts the browser. `BrowserProcess.run` explains the parameters.
    func run(
        _ executable: URL, _ command: LaunchCommand, pipes: (input: Pipe, output: Pipe)? = nil,
        streams: (input: Pipe, output: Pipe)? = nil, errors: Pipe? = nil
    ) throws {
        try process.run(
            executable, command, pipes: pipes, streams: streams, errors: errors,
            onEnd: { [weak self, engine] ending in self?.ended("\(engine) \(ending).") })
    }

    /// The browser has closed the connection to it. Its process ends now, and says how.
    func connectionEnded() {
        Task {
            try? await Task.sleep(for: .seconds(1))
            ended("\(engine) has ended.")
        }
    }

    /// The user has closed the browser's last window.
    func windowsClosed() {
        hasClosedWindows = true
        ended("The last window of \(engine) was closed.")
    }

    /// The browser has ended by itself.
    func ended(_ reason: String) {
        guard !isClosed else { return }
        close(reason)
        onEnd?(reason)
    }

    /// Kills the browser, and deletes its profile. A second call does nothing.
    func close() { close("\(engine) was closed.") }

    private func close(_ reason: String) {
        guard !isClosed else { return }
        isClosed = true
        onClose(reason)
        let deadline = ContinuousClock.now + grace
        while process.isRunning, ContinuousClock.now < deadline { usleep(10_000) }
        process.close()
    }

    isolated deinit { close() }
}
