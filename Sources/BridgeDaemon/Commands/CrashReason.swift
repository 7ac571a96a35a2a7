import BridgeProcesses
import Foundation
import Synchronization

/// Why a program in Swift has crashed, as it says itself among its registers and threads.
struct CrashReason {
    /// The program's own line, such as `App/Screen.swift:17: Fatal error: Index out of range`, and where in the app that
    /// was, if the line names a file of Swift's library.
    let text: String

    /// - Parameter output: what the program wrote.
    init?(_ output: String) {
        let lines = output.split(whereSeparator: \.isNewline)
        guard let line = lines.first(where: CrashReason.isReason) else { return nil }
        let reason = line.trimmingCharacters(in: .whitespaces)
        let frame = lines.lazy.compactMap { $0.firstMatch(of: /\ in (.+) at (\/\S+\.swift:\d+)/) }
            .first { $0.2.contains("/package/Sources/") }
        // A line that names a file of the app says enough.
        guard let frame, reason.hasPrefix("Swift/") || !reason.contains(".swift:") else {
            text = reason
            return
        }
        let place = frame.2.split(separator: "/").last ?? frame.2
        text = "\(reason), at \(place) in \(frame.1)"
    }

    private static func isReason(_ line: Substring) -> Bool {
        ["Fatal error: ", "Precondition failed", "Assertion failed", "Program crashed: "].contains { line.contains($0) }
            || line.hasPrefix("Fatal error")
    }

    /// What a program that Swift crashes writes: its own frames, without registers and libraries.
    ///
    /// - Parameter environment: what the user has set stays.
    static func environment(_ environment: [String: String]) -> [String: String] {
        guard environment["SWIFT_BACKTRACE"] == nil else { return [:] }
        return ["SWIFT_BACKTRACE": "color=no,interactive=no,registers=none,images=none,threads=crashed,limit=32"]
    }
}

/// What a program writes to its standard error: it is passed on at once, and its last lines are kept.
final class PassedErrors: Sendable {
    let pipe = Pipe.withoutInheritance()
    private let kept = Mutex(Data())
    private static let limit = 200_000
    private let end = DispatchSemaphore(value: 0)

    /// Passes on what is written until the program has ended.
    func start() {
        let handle = pipe.fileHandleForReading
        Thread.detachNewThread { [self] in
            while true {
                let data = handle.availableData
                guard !data.isEmpty else {
                    end.signal()
                    return
                }
                FileHandle.standardError.write(data)
                kept.withLock { kept in
                    kept += data
                    if kept.count > PassedErrors.limit { kept = Data(kept.suffix(PassedErrors.limit / 2)) }
                }
            }
        }
    }

    /// What was written. Call it when the program has ended: it waits a moment for the rest.
    func text() -> String {
        // A process that the program started may keep the pipe open.
        _ = end.wait(timeout: .now() + .seconds(2))
        return kept.withLock { String(decoding: $0, as: UTF8.self) }
    }
}
