import BridgeClient
import BridgeProtocol
import Foundation

/// Why a command ends without success. The text says what is wrong and ends with what to do about it.
struct CommandFailure: Error {
    /// The exit codes, the same for every command (docs/command-line.md). 64 and up are those of sysexits.h.
    enum Code: Int32 {
        /// The page, a handler or a test answered no.
        case failed = 1
        case timedOut = 2
        /// No such page, handler or stub.
        case notFound = 3
        case usage = 64
        /// A file, or what a server says, can't be read.
        case noInput = 66
        /// No daemon can be reached.
        case unavailable = 69
        /// The token is wrong.
        case notAllowed = 77
    }

    let code: Code
    let error: RPCError

    init(_ text: String, _ code: Code) {
        self.code = code
        error = RPCError(.invalidParams, text)
    }

    init(_ error: ClientError) {
        switch error {
        case .error(let answered): self.init(answered)
        case .wrongToken: self.init("\(error)", .notAllowed)
        default: self.init("\(error)", .unavailable)
        }
    }

    init(_ error: RPCError) {
        self.error = error
        code =
            switch error.code {
            case .timedOut, .waitTimedOut: .timedOut
            case .noSuchPage, .noSuchHandler: .notFound
            case .notAllowed: .notAllowed
            case .invalidParams: error.isAboutMissing ? .notFound : .usage
            default: .failed
            }
    }

    /// - Parameter asJSON: `{"error": {code, message, data?}}` on one line.
    func report(asJSON: Bool) {
        guard asJSON else { return Terminal.complain("error: \(text)") }
        var writer = JSONWriter()
        writer.object { $0.member("error", error) }
        Terminal.complain(writer.text)
    }

    /// An exception reads as in a browser's console.
    private var text: String {
        guard error.code == .javaScriptException else { return error.message }
        return ScriptError(error).description
    }
}

extension RPCError {
    /// A stub or subscription that nobody knows.
    fileprivate var isAboutMissing: Bool {
        guard case .object(let members) = data else { return false }
        return members.contains { ["stubs", "subscriptions"].contains($0.key) }
    }
}
