import BridgeProtocol

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

/// The checks that every HTTP request must pass: its host, its origin and its body.
extension AccessPolicy {
    /// Checks a request's host and origin. Returns the refusal, or nil if the request is accepted.
    func refusal(ofRequest headers: RequestHeaders) -> Refusal? {
        if let refusal = refusal(ofHost: headers.host) { return refusal }
        if let origin = headers.origin { return refusal(ofOrigin: origin, at: headers.host) }
        return refusal(ofSite: headers)
    }

    /// Checks that the length of a request's body is unambiguous. Returns the refusal, or nil if the request is
    /// accepted.
    ///
    /// It must never be in doubt where one request ends and the next begins (RFC 9112, section 11.2). So a POST needs a
    /// Content-Length that is a single number, and no request may be chunked.
    func refusal(ofBodyOf request: HTTPRequest) -> Refusal? {
        let headers = request.headers
        let isClear = headers.contentLength == nil ? request.method != .post : headers.bodyLength != nil
        guard !isClear || headers.transferEncoding != nil else { return nil }
        return Refusal(
            code: .lengthRequired, text: "A request to \(request.path.forText) had no single, clear Content-Length.",
            hint: "Send the whole body with its length, not chunked.")
    }

    /// Checks that the content type of a POST is JSON. Returns the refusal, or nil if the request is accepted.
    ///
    /// Forms cannot send this content type. Before a page of another site sends it, its browser asks the daemon with a
    /// CORS preflight. The daemon allows that only for `/call`, and only for origins that may attach.
    func refusal(ofTypeOf request: HTTPRequest) -> Refusal? {
        let type = request.headers.contentType ?? ""
        guard type.prefix(while: { $0 != ";" && $0 != " " }).lowercased() != "application/json" else { return nil }
        return Refusal(
            code: .wrongContentType,
            text: "A POST to \(request.path.forText) had the Content-Type '\(type.forText)'.",
            hint: "Expected Content-Type: application/json.")
    }

    // MARK: Host

    private func refusal(ofHost field: String?) -> Refusal? {
        let authority = field.flatMap { Authority($0) }
        if let authority, isAllowed(authority) { return nil }
        let option =
            authority.map {
                " If the name is yours, start the daemon with \(setting("allow-origin", "allowedOrigins", "http://\($0.host)"))."
            } ?? ""
        return Refusal(
            code: .hostNotAllowed,
            text: "A request named the host '\((field ?? "").forText)', which is not this machine.",
            hint: "Use localhost, a name under .localhost or .test, 127.0.0.1 or [::1].\(option)")
    }

    private func isAllowed(_ authority: Authority) -> Bool {
        authority.isLocal || authority.isTestName || allowedHosts.contains(authority.host)
            || (allowsAnyAddress && authority.isAddress) || allowedOrigins.contains { $0.matches(host: authority) }
    }

    // MARK: Origin

    /// - Parameter host: an accepted host. The daemon's own pages have it as their origin.
    private func refusal(ofOrigin field: String, at host: String?) -> Refusal? {
        let origin = Origin(field)
        if let origin, isAllowed(origin, at: host) { return nil }
        return Refusal(
            code: .originNotAllowed, text: "A page of '\(field.forText)' asked for access, which is not allowed.",
            hint: origin != nil
                ? "If the page is yours, start the daemon with \(setting("allow-origin", "allowedOrigins", field.forText))."
                : "Serve the page over http from localhost. Files and sandboxed frames have no origin to allow.")
    }

    private func isAllowed(_ origin: Origin, at host: String?) -> Bool {
        if isOwn(origin, at: host) || allowedOrigins.contains(where: { $0.matches(origin) }) { return true }
        return !isStrict && (origin.authority.isLocal || origin.authority.isTestName)
    }

    /// Whether an origin is that of the daemon's own pages.
    /// - Parameter host: the host that the request names.
    func isOwn(_ origin: Origin, at host: String?) -> Bool {
        host.flatMap { Origin("\(scheme)://\($0)") } == origin
    }

    // MARK: Names

    /// The names in an accepted request that are accepted only if the system's resolver says that they are this
    /// machine's.
    func uncertainNames(in headers: RequestHeaders) -> [String] {
        let page = headers.origin ?? headers.referer
        let authorities = [headers.host.flatMap { Authority($0) }, page.flatMap { Origin(startOf: $0)?.authority }]
        let names = authorities.compactMap(\.self).filter { authority in
            authority.isTestName && !allowedOrigins.contains { $0.matches(host: authority) }
        }
        return names.count == 2 && names[0].host == names[1].host ? [names[0].host] : names.map(\.host)
    }

    // MARK: Sites

    /// Checks a request for which browsers send no `Origin`: a navigation, or what a page embeds, such as a script.
    ///
    /// They send `Sec-Fetch-Site` instead, but only to hosts that they trust, such as this machine. They also send
    /// `Referer`, which the page may suppress. Both are absent if a user has typed the address, or if the client is not
    /// a browser.
    private func refusal(ofSite headers: RequestHeaders) -> Refusal? {
        guard !["none", "same-origin"].contains(headers.fetchSite) else { return nil }
        if let referer = headers.referer {
            guard let refusal = refusal(ofOrigin: Origin(startOf: referer)?.text ?? referer, at: headers.host) else {
                return nil
            }
            return headers.isNavigation ? navigationNotAllowed(from: referer) : refusal
        }
        guard headers.fetchSite == "cross-site" || (isStrict && headers.fetchSite != nil) else { return nil }
        guard !headers.isNavigation else { return navigationNotAllowed(from: nil) }
        return Refusal(
            code: .originNotAllowed, text: "A page of another site asked for access and hides which site it is.",
            hint: "If the page is yours, add referrerpolicy=\"origin\" to its bridge.js script tag.")
    }

    private func navigationNotAllowed(from referer: String?) -> Refusal {
        let site =
            referer.map { "'\((Origin(startOf: $0)?.text ?? $0).forText)'" } ?? "another site, which hides its name,"
        return Refusal(
            code: .navigationNotAllowed, text: "A page of \(site) led a browser to the daemon.",
            hint: "If you wanted to go there, follow the link in the answer, or type the address.")
    }
}

extension RequestHeaders {
    /// Whether the request navigates to a page. Otherwise, a page or a tool fetches something.
    fileprivate var isNavigation: Bool {
        fetchMode.map { $0 == "navigate" } ?? accept?.contains("text/html") ?? false
    }

    /// The Content-Length; nil if it is not made of digits only.
    var bodyLength: Int? {
        contentLength.flatMap { $0.utf8.allSatisfy(\.isDigit) ? Int($0) : nil }
    }
}
