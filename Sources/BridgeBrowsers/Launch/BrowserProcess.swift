import BridgeProcesses
package import Foundation
import Synchronization

/// A browser's process with a profile of its own, which is deleted when it ends. It ends with this process, too.
package final class BrowserProcess: Sendable {
    package let profile: URL
    private let process = Mutex<ChildProcess?>(nil)
    private let screen: VirtualScreen?
    private let keep: (@Sendable (URL) -> Void)?
    private let isClosed = Atomic(false)

    /// - Parameters:
    ///   - screen: the virtual screen that the browser needs; it is closed with the browser.
    ///   - keep: gets the profile when the browser was closed, before it is deleted. It may be called on any thread.
    package init(screen: VirtualScreen? = nil, keep: (@Sendable (URL) -> Void)? = nil) throws {
        profile = try FileManager.default.makeTemporaryFolder("bridged")
        self.screen = screen
        self.keep = keep
    }

    /// Starts the browser.
    ///
    /// - Parameters:
    ///   - pipes: become the descriptors 3 (which the browser reads) and 4 (which it writes), where Chromium expects
    ///     those of `--remote-debugging-pipe`.
    ///   - streams: become the standard input and output; nil for none.
    ///   - errors: gets the browser's standard error.
    ///   - onEnd: called once when the process has ended, with how it ended, as the end of a sentence.
    package func run(
        _ executable: URL, _ command: LaunchCommand, pipes: (input: Pipe, output: Pipe)? = nil,
        streams: (input: Pipe, output: Pipe)? = nil, errors: Pipe? = nil,
        onEnd: (@Sendable @MainActor (String) -> Void)? = nil
    ) throws {
        let environment = ProcessInfo.processInfo.environment
            .merging(ownTemporaryFiles) { $1 }.merging(command.environment) { $1 }
        let started = try ChildProcess(
            executable, command.arguments, environment: environment, input: streams.map { .pipe($0.input) } ?? .null,
            output: streams.map { .pipe($0.output) } ?? .null, errors: errors.map { .pipe($0) } ?? .null, pipes: pipes,
            deleting: profile)
        process.withLock { $0 = started }
        if let onEnd { started.whenEnded { ending in Task { @MainActor in onEnd(ending.text) } } }
    }

    /// Lets the browser put its temporary files into the profile: if it is killed, Chromium leaves theirs behind.
    private var ownTemporaryFiles: [String: String] {
        let socket = "/org.chromium.Chromium.XXXXXX/SingletonSocket"
        // Chromium ends if the path is longer than a socket's can be, which is 103 bytes on a Mac and 107 on Linux.
        return profile.path.utf8.count + socket.utf8.count <= 103 ? ["TMPDIR": profile.path] : [:]
    }

    /// The number of the process, and of the group with all processes of the browser.
    var id: Int32 { started?.id ?? 0 }

    var isRunning: Bool { started?.isRunning ?? false }

    /// Nil until it has started.
    private var started: ChildProcess? { process.withLock(\.self) }

    /// Suspends all processes of the browser until `wake`, as if the machine went to sleep.
    package func sleep() { started?.signalGroup(SIGSTOP) }

    package func wake() { started?.signalGroup(SIGCONT) }

    /// Kills the browser, and deletes its profile. A second call does nothing.
    package func close() {
        guard !isClosed.exchange(true, ordering: .relaxed) else { return }
        started?.end()
        screen?.close()
        keep?(profile)
        // The kernel may still be ending processes of the browser, which write to its profile.
        for _ in 0..<50 {
            try? FileManager.default.removeItem(at: profile)
            guard FileManager.default.fileExists(atPath: profile.path) else { return }
            usleep(20_000)
        }
    }

    deinit { close() }
}
