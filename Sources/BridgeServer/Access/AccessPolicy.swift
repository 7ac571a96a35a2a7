/// Who may come in, decided before anything else is looked at. Pure: header fields in, a refusal or nothing out.
///
/// The daemon runs beside a browser that visits any site, so a request must be for a host that only this machine
/// answers to (against DNS rebinding) and, where a browser sends it for a page, from a page of such a host. A client
/// that is no browser sends no `Origin`, and shows the token instead.
struct AccessPolicy: Sendable {
    /// Origins allowed beside the local ones, and the names that the daemon may be reached by.
    var allowedOrigins: [Origin] = []
    /// Hosts that requests may be for beside the local ones: the addresses that were asked for.
    var allowedHosts: [String] = []
    /// Whether a request may be for any address in digits. DNS rebinding needs a name, so these are safe from it.
    var allowsAnyAddress = false
    /// Opens every door.
    var token = AccessToken()
    /// Where the daemon listens beyond this machine: what a page shows as well. Pages never learn `token`.
    var pageToken: AccessToken?

    /// Why a WebSocket handshake is refused; nil lets it in.
    func refusal(ofUpgrade upgrade: String, path: String, _ headers: RequestHeaders) -> Refusal? {
        if let refusal = refusal(ofRequest: headers) { return refusal }
        guard upgrade.lowercased() == "websocket" else {
            return Refusal(
                code: .wrongUpgrade, text: "A client asked for an upgrade to '\(upgrade.forText)'.",
                hint: "Only WebSocket connections are served.")
        }
        guard let role = ConnectionRole(path: path) else {
            return Refusal(
                code: .unknownPath, text: "No WebSocket is served at '\(path.forText)'.",
                hint: "Pages connect to /page, tools to /control.")
        }
        guard headers.webSocketVersion == "13" else {
            return Refusal(
                code: .wrongVersion,
                text: "A handshake asked for version '\((headers.webSocketVersion ?? "").forText)' of WebSocket.",
                hint: "Version 13 is served (RFC 6455).")
        }
        let offered = headers.subprotocols.map { $0.split(separator: ",").map { $0.drop { $0 == " " } } } ?? []
        let named = offered.filter { !$0.hasPrefix("bridge.token.") }
        guard named.count == 1, named[0] == role.subprotocol else {
            return Refusal(
                code: .unknownSubprotocol,
                text:
                    "A handshake at \(role.path) offered the subprotocols '\(named.joined(separator: ", ").forText)'.",
                hint: "Offer \(role.subprotocol): a client of another version needs another daemon.")
        }
        let shown = shownTokens(headers, offered)
        switch role {
        case .page: return refusal(ofPageFrom: headers.origin, shown)
        case .control: return refusal(ofToolWith: shown, at: path)
        }
    }

    /// Why a request for what tools alone may have is refused; nil lets it in.
    func refusal(ofTool request: HTTPRequest) -> Refusal? {
        refusal(ofToolWith: shownTokens(request.headers, []), at: request.path)
    }

    private func refusal(ofPageFrom origin: String?, _ shown: [Substring]) -> Refusal? {
        if origin != nil, pageToken == nil { return nil }
        let isKnown = shown.contains { token.matches($0) || (pageToken?.matches($0) ?? false) }
        return isKnown ? nil : tokenNeeded(by: origin)
    }

    private func refusal(ofToolWith shown: [Substring], at path: String) -> Refusal? {
        guard !shown.contains(where: { token.matches($0) }) else { return nil }
        let what = shown.isEmpty ? "without the daemon's token" : "with a token that is not this daemon's"
        return Refusal(
            code: .tokenNeeded, text: "A tool came to \(path.forText) \(what).",
            hint: "Send 'Authorization: Bearer TOKEN' with the token of the run file that `serve --json` names.")
    }

    /// Why what pages load or leave behind is refused; nil takes it. Beyond this machine, its URL carries the page token.
    func refusal(ofPageWith token: String?) -> Refusal? {
        guard let pageToken else { return nil }
        return token.map { pageToken.matches($0) } ?? false ? nil : tokenNeeded(by: nil)
    }

    /// The tokens that a client shows, as a subprotocol or as a header field.
    private func shownTokens(_ headers: RequestHeaders, _ subprotocols: [Substring]) -> [Substring] {
        let shown = subprotocols.filter { $0.hasPrefix("bridge.token.") }.map { $0.dropFirst("bridge.token.".count) }
        // The scheme's case makes no difference (RFC 9110, 11.1).
        guard let authorization = headers.authorization, authorization.prefix(7).lowercased() == "bearer " else {
            return shown
        }
        return shown + [authorization.dropFirst(7)]
    }

    private func tokenNeeded(by origin: String?) -> Refusal {
        pageToken == nil
            ? Refusal(
                code: .tokenNeeded, text: "A client without an Origin, so no browser, came without the daemon's token.",
                hint: "Send 'Authorization: Bearer TOKEN' with the token of the run file that `serve --json` names.")
            : Refusal(
                code: .tokenNeeded,
                text:
                    "A page of '\((origin ?? "").forText)' came without the page token, which this daemon's address asks for.",
                hint: "Load bridge.js as the daemon's banner shows it: bridge.js?token=PAGETOKEN.")
    }
}

extension String {
    /// Text from outside as it may stand in a message: one line, no control characters, not endless.
    var forText: String {
        let line = unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7f ? "\u{fffd}" : Character($0) }
        return line.count > 100 ? String(line.prefix(100)) + "…" : String(line)
    }
}
