/// Decides which requests and connections are accepted, before anything else handles them. Its methods take header
/// fields and return a refusal, or nil to accept. They do no I/O.
///
/// The daemon runs next to a browser that visits any site. So a request must name a host that belongs to this machine,
/// which prevents DNS rebinding. If it names an origin, as browsers do for pages, that must be such a host or an
/// allowed origin. A client without an origin is not a browser; it must show the token.
struct AccessPolicy: Sendable {
    /// The origins that are allowed in addition to the local ones. Requests may also name their hosts.
    var allowedOrigins: [OriginPattern] = []
    /// Whether only `allowedOrigins` and the daemon's own pages are allowed, and not every local origin.
    var isStrict = false
    /// The hosts that requests may name in addition to the local ones: the addresses that the daemon listens on.
    var allowedHosts: [String] = []
    /// Whether requests may name any IP address. That is safe, because DNS rebinding needs a name.
    var allowsAnyAddress = false
    /// The token that grants access to tools. The daemon never sends it to a page.
    var token = AccessToken()
    /// `http` or `https`, as the daemon is served.
    var scheme = "http"
    /// The secret in the addresses of `/document`, which only native code makes. So no other page can navigate a
    /// browser to them. Their documents present the secret when they attach.
    var documentKey = AccessToken()
    /// The token that pages need if the daemon listens beyond this machine; nil otherwise.
    var pageToken: AccessToken?

    // MARK: WebSocket handshakes

    /// Checks a WebSocket handshake. Returns the refusal, or nil if the handshake is accepted.
    func refusal(ofUpgrade upgrade: String, path: String, _ headers: RequestHeaders) -> Refusal? {
        if let refusal = refusal(ofRequest: headers) { return refusal }
        guard upgrade.lowercased() == "websocket" else {
            return Refusal(
                code: .wrongUpgrade, text: "A client asked for an upgrade to '\(upgrade.forText)'.",
                hint: "Upgrade to websocket; the daemon supports nothing else.")
        }
        guard let role = ConnectionRole(path: path) else {
            return Refusal(
                code: .unknownPath, text: "A WebSocket client asked for '\(path.forText)', which does not exist.",
                hint: "Pages connect to /page, tools to /control.")
        }
        guard headers.webSocketVersion == "13" else {
            return Refusal(
                code: .wrongVersion,
                text: "A handshake asked for version '\((headers.webSocketVersion ?? "").forText)' of WebSocket.",
                hint: "Use version 13 (RFC 6455).")
        }
        let subprotocols = headers.offeredSubprotocols.filter { !$0.hasPrefix("bridge.token.") }
        guard subprotocols.count == 1, subprotocols[0] == role.subprotocol else {
            let list = subprotocols.joined(separator: ", ").forText
            return Refusal(
                code: .unknownSubprotocol, text: "A handshake at \(role.path) offered the subprotocols '\(list)'.",
                hint: "Offer \(role.subprotocol). A client of another version needs a daemon of that version.")
        }
        let tokens = tokens(in: headers)
        switch role {
        case .page: return refusal(ofPageFrom: headers.origin, tokens)
        case .control: return refusal(ofToolWith: tokens, at: path)
        }
    }

    private func refusal(ofPageFrom origin: String?, _ tokens: [Substring]) -> Refusal? {
        if origin != nil, pageToken == nil { return nil }
        let isAccepted = tokens.contains { token.matches($0) || (pageToken?.matches($0) ?? false) }
        return isAccepted ? nil : tokenNeeded(from: origin)
    }

    /// Checks the client of a driven page, which must show the token for tools: a token for pages is not enough. Returns
    /// the refusal, or nil if it is accepted.
    func refusal(ofDriver headers: RequestHeaders) -> Refusal? {
        refusal(ofToolWith: tokens(in: headers), at: ConnectionRole.page.path)
    }

    // MARK: Tools and pages over HTTP

    /// Checks a request for something that only tools may have. Returns the refusal, or nil if it is accepted.
    func refusal(ofTool request: HTTPRequest) -> Refusal? {
        refusal(ofToolWith: tokens(in: request.headers), at: request.path)
    }

    /// Checks a request that pages send, such as one for a script or with a beacon. Returns the refusal, or nil if the
    /// request is accepted.
    /// - Parameter token: the query's `token`, which must be the page token if there is one.
    func refusal(ofPageWith token: String?) -> Refusal? {
        guard let pageToken else { return nil }
        return token.map { pageToken.matches($0) } ?? false ? nil : tokenNeeded(from: nil)
    }

    /// Checks a request for a document of native code. Returns the refusal, or nil if it is accepted.
    /// - Parameter key: the query's `key`.
    func refusal(ofDocumentWith key: String?) -> Refusal? {
        guard key.map({ documentKey.matches($0) }) != true else { return nil }
        return Refusal(
            code: .tokenNeeded, text: "A browser asked for /document without the key that its address needs.",
            hint: "Only native code makes these addresses, for loadHTMLString and the first document of a web view.")
    }

    // MARK: Tokens

    private static let tokenHint =
        "Send 'Authorization: Bearer TOKEN' with the token in the daemon's discovery file. `bridged serve --json` prints "
        + "the path of that file as runFile."

    private func refusal(ofToolWith tokens: [Substring], at path: String) -> Refusal? {
        guard !tokens.contains(where: { token.matches($0) }) else { return nil }
        let what = tokens.isEmpty ? "without the daemon's token" : "with a token that is not this daemon's"
        return Refusal(
            code: .tokenNeeded, text: "A tool asked for \(path.forText) \(what).", hint: AccessPolicy.tokenHint)
    }

    private func tokenNeeded(from origin: String?) -> Refusal {
        guard pageToken != nil else {
            return Refusal(
                code: .tokenNeeded,
                text: "A client that is not a browser (it sent no Origin) did not show the daemon's token.",
                hint: AccessPolicy.tokenHint)
        }
        let page = origin.map { "A page of '\($0.forText)'" } ?? "A page"
        return Refusal(
            code: .tokenNeeded, text: "\(page) did not show the page token, which this daemon requires.",
            hint: "Load bridge.js as the daemon prints it when it starts: bridge.js?token=PAGETOKEN.")
    }

    /// The tokens that a client shows, in subprotocols or in the Authorization field.
    private func tokens(in headers: RequestHeaders) -> [Substring] {
        let tokens = headers.offeredSubprotocols.filter { $0.hasPrefix("bridge.token.") }
            .map { $0.dropFirst("bridge.token.".count) }
        // The scheme is case-insensitive (RFC 9110, section 11.1).
        guard let authorization = headers.authorization, authorization.prefix(7).lowercased() == "bearer " else {
            return tokens
        }
        return tokens + [authorization.dropFirst(7)]
    }
}

extension RequestHeaders {
    fileprivate var offeredSubprotocols: [Substring] {
        subprotocols.map { $0.split(separator: ",").map { $0.drop { $0 == " " } } } ?? []
    }
}
