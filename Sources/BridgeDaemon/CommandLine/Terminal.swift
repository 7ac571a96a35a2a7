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

    static func print(_ text: String, terminator: String = "\n") {
        Swift.print(text, terminator: terminator)
        fflush(nil)
    }

    static func print(_ value: some JSONWritable) { print(value.text) }

    static func printError(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
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
