import BridgeProtocol
import BridgeTraffic
import Foundation
import Logging
import Synchronization

/// The log lines of the daemon on standard error. It never blocks: lines are left out and counted while their reader
/// stalls.
final class ErrorLog: Sendable {
    private struct State {
        var redact: @Sendable (String) -> String = { $0 }
        var missed = 0
    }

    private let stream: StreamWriter
    private let state = Mutex(State())

    init(_ descriptor: Int32 = STDERR_FILENO) { stream = StreamWriter(descriptor) }

    /// What removes secrets from each line.
    var redact: @Sendable (String) -> String {
        get { state.withLock(\.redact) }
        set { state.withLock { $0.redact = newValue } }
    }

    func write(_ line: String) { write(line.utf8.count) { line } }

    /// Writes a line. The stream's thread makes its text, so that pages do not wait for that.
    /// - Parameter size: about how many bytes the line has.
    func write(_ size: Int, _ line: @escaping @Sendable () -> String) {
        let isCrowded = stream.isCrowded
        let (redact, missed) = state.withLock { state in
            defer { state.missed = isCrowded ? state.missed + 1 : 0 }
            return (state.redact, state.missed)
        }
        guard !isCrowded else { return }
        if missed > 0 { stream.write(ErrorLog.note(missed)) }
        stream.write(size) { Array((TerminalText.escape(redact(line())) + "\n").utf8) }
    }

    func finish(before deadline: ContinuousClock.Instant) {
        let missed = state.withLock { state in
            defer { state.missed = 0 }
            return state.missed
        }
        if missed > 0 { stream.write(ErrorLog.note(missed)) }
        stream.finish(before: deadline)
    }

    private static func note(_ missed: Int) -> String {
        "\(missed) lines were left out here, because standard error was not read.\n"
    }
}

/// Writes log messages as lines: `2026-11-22T10:00:00.123456Z warning bridged: page=p1 The text.`
struct ErrorLogHandler: LogHandler {
    /// About how many bytes of a line come before the message.
    private static let usualFacts = 60

    let label: String
    var logLevel: Logger.Level
    let log: ErrorLog
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let time = Timestamp.now
        let (level, label, message) = (event.level, label, event.message.description)
        let metadata = metadata.merging(event.metadata ?? [:]) { $1 }
        log.write(message.utf8.count + ErrorLogHandler.usualFacts) {
            let facts = metadata.sorted { $0.key < $1.key }.map { "\($0)=\($1) " }.joined()
            return "\(time) \(level) \(label): \(facts)\(message)"
        }
    }
}
