public import BridgeProtocol

/// The reason why a call to a daemon has no result.
public enum ClientError: Error, Sendable {
    /// No running daemon has a discovery file with that URL, or with any URL if it is nil. `others` is a sentence about the
    /// files that are not discovery files, if there are any.
    case noDaemon(url: String?, others: String = "")
    /// Several daemons run, and none was chosen.
    case severalDaemons([DaemonEndpoint])
    case notAnAddress(String)
    case unreachable(url: String, reason: String)
    /// The connection ended in the middle of the daemon's answer.
    case cutOff(url: String)
    /// The request's header is longer than the daemon's limit, in bytes.
    case filterTooLong(limit: Int)
    /// The daemon uses TLS, which this command does not support.
    case needsPlainHTTP(url: String)
    /// The daemon there has another token.
    case wrongToken(url: String)
    /// A server answered, but not as a daemon does.
    case unexpectedAnswer(url: String, expected: String, found: String)
    /// The daemon answered with an error.
    case error(RPCError)
}

extension ClientError: CustomStringConvertible {
    /// What went wrong, and what to do about it.
    public var description: String {
        switch self {
        case .noDaemon(nil, let others): "No daemon is running. Start one with: bridged serve\(others)"
        case .noDaemon(let url?, let others):
            "No daemon of yours runs at \(url), so its token is not known. Start one with bridged serve, or set "
                + "BRIDGED_TOKEN to the token of the daemon there.\(others)"
        case .severalDaemons(let contacts):
            "\(contacts.count) daemons are running. Name one: "
                + contacts.prefix(5).map { "--url \($0.url)" }.joined(separator: " or ")
                + (contacts.count > 5 ? " or another" : "")
        case .notAnAddress(let text): "'\(text)' is not an address. Give one like http://localhost:2734"
        case .unreachable(let url, let reason) where reason.contains("certificate"):
            "The daemon at \(url) is not trusted: \(reason). Add its certificate to those of the system, and reach it by a "
                + "name that is in it: docs/security.md, \"TLS\"."
        case .needsPlainHTTP(let url):
            "The daemon at \(url) uses TLS, which this command does not support. Start a daemon without --tls-cert."
        case .unreachable(let url, let reason):
            "The daemon at \(url) can't be reached: \(reason). Start it with: bridged serve"
        case .cutOff(let url):
            "The daemon at \(url) ended in the middle of its answer: it was killed, or the connection broke. Start it again "
                + "with: bridged serve"
        case .filterTooLong(let limit):
            "The filter is too long: with it the request's header has more than \(limit) bytes, the daemon's limit. Shorten "
                + "it, or start the daemon with a higher --max-header-bytes."
        case .wrongToken(let url):
            "The daemon at \(url) has another token. Unset BRIDGED_TOKEN, or set it to that daemon's: its discovery file has it."
        case .unexpectedAnswer(let url, let expected, let found):
            "The server at \(url) does not answer as bridged does: expected \(expected), found \(found). Give --url the address "
                + "that serve prints."
        case .error(let error): error.message
        }
    }
}
