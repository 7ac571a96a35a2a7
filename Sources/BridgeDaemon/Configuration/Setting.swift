import PathConfiguration

/// One thing that `serve` can be told, by the same name as a flag (`--root-url`), an environment variable
/// (`BRIDGED_ROOT_URL`) and a key of `bridged.yml` (`root-url`).
enum Setting: String, CaseIterable {
    case host, port, platform, log, database, keep, redact, json, verbose, discriminator
    case noRedact = "no-redact"
    case rootURL = "root-url"
    case pushToken = "push-token"
    case pathConfiguration = "path-configuration"
    case signInURL = "sign-in-url"
    case tab, component
    case turboAdapter = "turbo-adapter"
    case allowOrigin = "allow-origin"
    case replyTimeout = "reply-timeout"
    case tlsCert = "tls-cert"
    case tlsKey = "tls-key"
    case maxConnections = "max-connections"
    case maxConnectionsPerAddress = "max-connections-per-address"
    case maxWaitingCalls = "max-waiting-calls"
    case maxErrors = "max-errors"
    case maxMessageBytes = "max-message-bytes"
    case maxHeaderBytes = "max-header-bytes"
    case maxNesting = "max-nesting"
    case maxWaitingMessages = "max-waiting-messages"
    case maxWaitingBytes = "max-waiting-bytes"
    case maxWaitingEvaluations = "max-waiting-evaluations"
    case pongTimeout = "pong-timeout"
    case handshakeTimeout = "handshake-timeout"

    var isList: Bool { [.host, .redact, .allowOrigin, .tab, .component, .platform].contains(self) }

    var variable: String { "BRIDGED_" + rawValue.uppercased().replacing("-", with: "_") }
}
