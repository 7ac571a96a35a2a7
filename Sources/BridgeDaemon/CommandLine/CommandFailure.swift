import BridgeClient
import BridgeProtocol
import BridgeTraffic
import Foundation

/// The reason that a command fails. The text says what is wrong and ends with what to do about it.
struct CommandFailure: Error {
    /// The exit codes of all commands (docs/command-line.md). Those from 64 are the codes of sysexits.h.
    enum Code: Int32 {
        /// The page or a handler answered with an error, or a test failed.
        case failed = 1
        case timedOut = 2
        /// The page, handler, stub, fault or subscription does not exist.
        case notFound = 3
        case usage = 64
        /// A file or a server's answer cannot be read.
        case noInput = 66
        /// No daemon can be reached.
        case unavailable = 69
        /// The token is wrong.
        case notAllowed = 77
    }

    let code: Code
    let error: RPCError
    /// Whether the text is this program's own or points to a place in what the user has typed: only then it may have
    /// several lines.
    private let mayHaveLines: Bool

    init(_ text: String, _ code: Code) {
        self.code = code
        let rpcCode: RPCError.Code =
            switch code {
            case .usage, .notFound, .noInput: .invalidParams
            case .notAllowed: .notAllowed
            case .timedOut: .waitTimedOut
            case .failed, .unavailable: .internalError
            }
        error = RPCError(rpcCode, text)
        mayHaveLines = true
    }

    init(_ error: ClientError) {
        switch error {
        case .error(let answered): self.init(answered)
        case .filterTooLong: self.init("\(error)", .usage)
        case .wrongToken: self.init("\(error)", .notAllowed)
        default: self.init("\(error)", .unavailable)
        }
    }

    init(_ error: RPCError) {
        self.error = error
        mayHaveLines = error.code == .invalidParams
        code =
            switch error.code {
            case .timedOut, .waitTimedOut: .timedOut
            case .noSuchPage, .noSuchHandler: .notFound
            case .notAllowed: .notAllowed
            case .invalidParams: error.isAboutUnknownName ? .notFound : .usage
            default: .failed
            }
    }

    /// Writes the failure to standard error.
    /// - Parameter asJSON: writes `{"error": {code, message, data?}}` on one line.
    func report(asJSON: Bool) {
        guard asJSON else { return Terminal.printError("error: \(printableText)") }
        var writer = JSONWriter()
        writer.object { $0.member("error", error) }
        Terminal.printErrorJSON(writer.text)
    }

    /// The text for `Terminal.printError`, which escapes each line.
    private var printableText: String { mayHaveLines ? text : TerminalText.escape(text) }

    /// The message, or for an exception in a page the text that a browser's console would show.
    private var text: String {
        guard error.code == .javaScriptException else { return error.message }
        return ScriptError(error).description
    }
}

extension RPCError {
    /// Whether the error names a stub, fault or subscription that does not exist.
    fileprivate var isAboutUnknownName: Bool {
        guard case .object(let members) = data else { return false }
        return members.contains { ["stubs", "faults", "subscriptions"].contains($0.key) }
    }
}
