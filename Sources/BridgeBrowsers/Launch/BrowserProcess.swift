import BridgeProcesses
package import Foundation
import Synchronization

/// A browser's process with a profile of its own, which is deleted when it ends. It ends with this process, too.
package final class BrowserProcess: Sendable {
    package let profile: URL
    private let process = Process()
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
    ///     those of `--remote-debugging-pipe`. Foundation passes only the standard streams, so a shell moves them.
    ///   - streams: become the standard input and output; nil for none.
    ///   - errors: gets the browser's standard error.
    ///   - onEnd: called once when the process has ended, with how it ended, as the end of a sentence.
    package func run(
        _ executable: URL, _ command: LaunchCommand, pipes: (input: Pipe, output: Pipe)? = nil,
        streams: (input: Pipe, output: Pipe)? = nil, errors: Pipe? = nil,
        onEnd: (@Sendable @MainActor (String) -> Void)? = nil
    ) throws {
        process.environment = ProcessInfo.processInfo.environment
            .merging(ownTemporaryFiles) { $1 }.merging(command.environment) { $1 }
        if let pipes {
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments =
                ["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null", "sh", executable.path]
                + command.arguments
            process.standardInput = pipes.input
            process.standardOutput = pipes.output
        } else {
            process.executableURL = executable
            process.arguments = command.arguments
            process.standardInput = streams?.input ?? FileHandle.nullDevice
            process.standardOutput = streams?.output ?? FileHandle.nullDevice
        }
        process.standardError = errors ?? FileHandle.nullDevice
        process.endWithParent(deleting: profile)
        try process.run()
        let group = process.processIdentifier
        process.whenEnded { ending in
            // If only its first process was killed, the others still write to the profile.
            kill(-group, SIGKILL)
            if let onEnd { Task { @MainActor in onEnd(ending) } }
        }
        // The child has its own copy. With ours open, the pipe would never end.
        try? errors?.fileHandleForWriting.close()
    }

    /// Lets the browser put its temporary files into the profile: if it is killed, Chromium leaves theirs behind.
    private var ownTemporaryFiles: [String: String] {
        let socket = "/org.chromium.Chromium.XXXXXX/SingletonSocket"
        // Chromium ends if the path is longer than a socket's can be, which is 103 bytes on a Mac and 107 on Linux.
        return profile.path.utf8.count + socket.utf8.count <= 103 ? ["TMPDIR": profile.path] : [:]
    }

    /// The number of the process, and of the group with all processes of the browser.
    var id: Int32 { process.processIdentifier }

    var isRunning: Bool { process.isRunning }

    /// Suspends all processes of the browser until `wake`, as if the machine went to sleep.
    package func sleep() { kill(-process.processIdentifier, SIGSTOP) }

    package func wake() { kill(-process.processIdentifier, SIGCONT) }

    /// Kills the browser, and deletes its profile. A second call does nothing.
    package func close() {
        guard !isClosed.exchange(true, ordering: .relaxed) else { return }
        process.end()
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
