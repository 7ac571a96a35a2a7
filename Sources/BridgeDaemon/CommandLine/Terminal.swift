import BridgeProtocol
import BridgeTraffic
import Foundation

/// What commands write. Each line goes out at once, so that a pipe's reader never waits.
enum Terminal {
    static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// Records as lines for people, in colour on a terminal.
    static var readable: ReadableTraffic {
        let wantsColor = ProcessInfo.processInfo.environment["NO_COLOR", default: ""].isEmpty
        return ReadableTraffic(
            usesColor: isatty(STDOUT_FILENO) == 1 && wantsColor, secondsFromUTC: TimeZone.current.secondsFromGMT())
    }

    static func print(_ line: String) {
        Swift.print(line)
        fflush(nil)
    }

    static func print(_ value: some JSONWritable) { print(value.text) }

    /// On standard error.
    static func complain(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }

    /// All of standard input.
    static func readInput() -> String {
        String(decoding: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self)
    }
}

extension JSON {
    /// A script value of an answer: JSON, or JavaScript where JSON does not say all of it, such as `undefined`.
    static func show(_ result: JSON) -> String {
        guard let value = try? ScriptValue(params: result, key: "value") else { return result.text }
        guard value.types != nil else { return value.json.text }
        var writer = JSONWriter()
        value.writeJavaScript(to: &writer)
        return writer.text
    }
}
