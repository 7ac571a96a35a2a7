import BridgeProtocol
import BridgeTraffic

/// The routes that `bridge.js` uses: the script itself, beacons, and reports about a Content-Security-Policy.
@MainActor struct PageRoutes {
    let parts: ServerParts
    let transport: TransportConfiguration
    let script: BridgeScript
    private var access: AccessPolicy { transport.access }
    private var traffic: TrafficLog { parts.documents.traffic }

    func install(in router: Router) {
        router.on(.get, "/health") { _ in .text("ok") }
        router.on(.get, "/bridge.js", respond: bridgeScript)
        router.on(.post, "/beacon", beacon)
    }

    /// Handles what a document sends when the user leaves it. Browsers send it as text and do not wait for a response.
    private func beacon(_ request: HTTPRequest, _ responder: HTTPResponder) {
        // Browsers send the origin with every POST, and the access policy has accepted it.
        guard request.headers.origin != nil else {
            return responder.respond(
                traffic.refuse(
                    Refusal(
                        code: .originMissing, text: "A client that is not a browser (it sent no Origin) sent a beacon.",
                        hint: "Only pages send beacons, and browsers send an Origin with them.")))
        }
        if let refusal = access.refusal(ofPageWith: request.value(of: "token")) {
            return responder.respond(traffic.refuse(refusal))
        }
        let sender = PageSender(request.headers, access)
        // A beacon is not sent again, so it waits for as long as its page may be away.
        let limit = parts.documents.limits.awayTimeout
        parts.departure.owning(request.body, from: sender, within: limit, orElse: .badBeacon) {
            [parts] () throws(RPCError) in
            try parts.departure.receiveBeacon(request.body, from: sender)
            responder.respond(HTTPResponse(status: .noContent))
        } refused: { refusal in
            responder.respond(.refusal(refusal))
        } failed: { [traffic] error in
            if error.code == .queueFull {
                traffic.problem(
                    .logFailed, error.message,
                    hint: "A beacon's messages are lost: its page has left, and cannot send them again.")
            } else {
                traffic.problem(
                    .badBeacon, error.message, hint: "Only bridge.js posts here, for a document that has attached.")
            }
            traffic.flush()
            responder.respond(.text(error.message, status: .badRequest))
        }
    }

    private func bridgeScript(_ request: HTTPRequest) -> HTTPResponse {
        let token = request.value(of: "token")
        if let refusal = access.refusal(ofPageWith: token) { return traffic.refuse(refusal) }
        if let directive = request.value(of: "blocked") { return reportBlocked(by: directive, request) }
        parts.missingScripts.scriptRequested()
        let webView = request.value(of: "web-view")
        let documentKey = request.value(of: "key").flatMap { access.documentKey.matches($0) ? $0 : nil }
        return script.response(
            BridgeScript.Settings(
                url: "\(transport.webSocketScheme)://\(request.headers.host ?? "")/page", token: token,
                userAgent: request.headers.userAgent, webView: webView,
                isOfApp: documentKey != nil || isOfApp(request.headers), documentKey: documentKey,
                hasUserScripts: request.value(of: "user-scripts") != "none", webViews: parts.webViews),
            ifNoneMatch: request.headers.ifNoneMatch)
    }

    /// Whether the page that loads a script is of the app. True while it is not known which pages are.
    private func isOfApp(_ headers: RequestHeaders) -> Bool {
        guard parts.origins.app.isDecided else { return true }
        if let page = headers.origin ?? headers.referer {
            return Origin(startOf: page).map(parts.origins.app.contains) ?? false
        }
        // A user has typed the address, or the client is not a browser.
        guard let site = headers.fetchSite, site != "none" else { return true }
        guard site != "same-origin" else {
            return Origin("\(transport.scheme)://\(headers.host ?? "")").map(parts.origins.app.contains) ?? false
        }
        traffic.problem(
            .refererHidden,
            "A page that hides its Referer loaded bridge.js, and got no user scripts and interface objects of the app.",
            hint: "If it is the app's, add referrerpolicy=\"origin\" to its bridge.js script tag.")
        return false
    }

    /// Records that a page's Content-Security-Policy blocks the bridge: `?blocked=connect-src&from=URL`.
    ///
    /// The policy allows this script but blocks its WebSocket or, with `script-src`, every evaluation. In that case,
    /// the page can report it only by loading a script. The browser must say which origin reports.
    private func reportBlocked(by directive: String, _ request: HTTPRequest) -> HTTPResponse {
        guard let origin = request.headers.referer.flatMap({ Origin(startOf: $0) }) else {
            return traffic.refuse(
                Refusal(
                    code: .originMissing, text: "A report about a Content-Security-Policy came without a Referer.",
                    hint: "Only bridge.js reports one, and asks the browser to send a Referer."))
        }
        let from = request.value(of: "from") ?? ""
        let page = Origin(startOf: from) == origin ? from.forText : origin.text
        if directive == "script-src" {
            traffic.problem(
                .policy, "The Content-Security-Policy of \(page) forbids eval, so native code cannot evaluate there.",
                hint: "Give the bridge.js script tag the policy's nonce, or add 'unsafe-eval' to its script-src.")
        } else {
            let directive = directive.forText
            let host = request.headers.host ?? ""
            let sources = "\(transport.webSocketScheme)://\(host)/ \(transport.scheme)://\(host)/"
            traffic.problem(
                .policy, "The Content-Security-Policy of \(page) forbids the connection: \(directive).",
                hint: "During development, add to its \(directive) (or default-src): \(sources)")
        }
        traffic.flush()
        return HTTPResponse(contentType: "text/javascript; charset=utf-8", fields: [("Cache-Control", "no-store")])
    }
}
