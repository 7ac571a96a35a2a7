import BridgeInput
import BridgeProtocol
import BridgeTraffic
import Foundation

/// The standard streams. All output is flushed at once, so that a program that reads it from a pipe gets it
/// immediately.
enum Terminal {
    static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// Formats records as lines for people, in colour on a terminal unless `NO_COLOR` is set (no-color.org).
    static var readable: ReadableTraffic {
        let wantsColor = ProcessInfo.processInfo.environment["NO_COLOR", default: ""].isEmpty
        return ReadableTraffic(
            usesColor: isatty(STDOUT_FILENO) == 1 && wantsColor, secondsFromUTC: TimeZone.current.secondsFromGMT())
    }

    /// Prints lines for people, with escapes for what could control the terminal, except line feeds. The caller escapes
    /// text from outside with `TerminalText.escape` first, so that a line feed in it does not begin a line.
    static func print(_ text: String, terminator: String = "\n") {
        write(escapedLines(text) + terminator)
    }

    /// Prints a value as JSON.
    static func print(_ value: some JSONWritable) { printJSON(value.text) }

    /// Prints JSON, with escapes for what could control the terminal.
    static func printJSON(_ json: String) { write(TerminalText.escapeJSON(json) + "\n") }

    /// Prints traffic, which is escaped already, and may be in colour.
    static func printTraffic(_ lines: String) { write(lines + "\n") }

    /// Prints lines for people to standard error, like `print`.
    static func printError(_ text: String) {
        writeError(escapedLines(text) + "\n")
    }

    /// Prints JSON to standard error, like `printJSON`.
    static func printErrorJSON(_ json: String) {
        writeError(TerminalText.escapeJSON(json) + "\n")
    }

    private static func write(_ text: String) {
        Swift.print(text, terminator: "")
        fflush(nil)
    }

    /// Writes to standard error. If its reader has gone, the text is lost; with `FileHandle`, the process would end.
    private static func writeError(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(0, count))
        }
    }

    /// Opens `/dev/null` for each standard stream that the caller has closed. Otherwise the next file that the process
    /// opens, such as the log, would take its place and get the output.
    static func openStandardStreams() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            // `open` returns the lowest free descriptor, and all lower ones are open by now.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY)
        }
    }

    private static func escapedLines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { TerminalText.escape(String($0)) }
            .joined(separator: "\n")
    }

    /// Reads standard input to its end.
    /// - Throws: `CommandFailure`
    static func readInput() throws -> [UInt8] {
        do {
            return try InputFile.standardInput()
        } catch {
            throw CommandFailure("Can't read standard input: \(error.reason).", .noInput)
        }
    }

    /// Reads standard input to its end, as text.
    /// - Throws: `CommandFailure`
    static func readText() throws -> String { String(decoding: try readInput(), as: UTF8.self) }
}
