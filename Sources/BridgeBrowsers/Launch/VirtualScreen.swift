import BridgeProcesses
package import Foundation
import Synchronization

/// An X11 display in memory (Xvfb), for browsers that need a screen.
package final class VirtualScreen: Sendable {
    /// The display's name, such as `:7`.
    package let name: String
    private let process: ChildProcess
    private let isClosed = Atomic(false)

    package static var executable: URL? { Executables.find(["Xvfb"]) }

    /// Starts the display, and waits until it is ready.
    /// - Parameters:
    ///   - program: the one to use instead of Xvfb.
    ///   - limit: how long it may take.
    package init(program: URL? = nil, within limit: Duration = .seconds(30)) throws {
        let output = Pipe.withoutInheritance()
        // The server picks a free number and prints it.
        process = try ChildProcess(
            program ?? VirtualScreen.executable ?? URL(fileURLWithPath: "/usr/bin/Xvfb"),
            ["-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp"], output: .pipe(output))
        guard VirtualScreen.canRead(output.fileHandleForReading, within: limit) else {
            process.end()
            throw BrowserError(
                "The virtual screen (Xvfb) did not say within \(limit) which display it is. Run Xvfb -displayfd 1 to see why."
            )
        }
        let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let number = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            process.end()
            throw BrowserError("The virtual screen (Xvfb) did not start. Run Xvfb -displayfd 1 to see why.")
        }
        name = ":\(number)"
    }

    /// Waits until a pipe has something, or has ended.
    private static func canRead(_ pipe: FileHandle, within limit: Duration) -> Bool {
        let deadline = ContinuousClock.now + limit
        var entry = pollfd(fd: pipe.fileDescriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let left = max(.zero, deadline - ContinuousClock.now) / .milliseconds(1)
            let count = poll(&entry, 1, Int32(left.rounded(.up)))
            // A signal may end the wait.
            guard count < 0, errno == EINTR else { return count > 0 }
        }
    }

    /// With these variables, a program shows its windows here, and WebKitGTK does without a graphics card.
    package var environment: [String: String] {
        [
            "DISPLAY": name, "GDK_BACKEND": "x11", "LIBGL_ALWAYS_SOFTWARE": "1",
            "WEBKIT_DISABLE_COMPOSITING_MODE": "1",
        ]
    }

    deinit { close() }

    package func close() {
        // Xvfb deletes its lock and its socket. Whoever deletes them for it may delete those of another screen, which has
        // taken the number meanwhile.
        guard !isClosed.exchange(true, ordering: .relaxed) else { return }
        process.endInOrder()
    }
}
