import Foundation
import Synchronization

/// A screen that nobody sees (Xvfb), for browsers that can't do without one.
final class VirtualScreen: Sendable {
    /// Such as `:7`.
    let name: String
    private let process = Process()
    private let isClosed = Atomic(false)

    static var executable: URL? { Executables.find(["Xvfb"]) }

    /// Waits until the screen is there.
    init() throws {
        let output = Pipe()
        process.executableURL = VirtualScreen.executable
        // The server picks a number that is free, and says which.
        process.arguments = ["-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp"]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let number = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        name = ":\(number.trimmingCharacters(in: .whitespacesAndNewlines))"
    }

    deinit { close() }

    func close() {
        // Once: another screen may have the number from then on.
        guard !isClosed.exchange(true, ordering: .relaxed), process.isRunning else { return }
        process.end()
        let number = name.dropFirst()
        for file in ["/tmp/.X\(number)-lock", "/tmp/.X11-unix/X\(number)"] { unlink(file) }
    }
}
