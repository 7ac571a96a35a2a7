import BridgeProtocol
import BridgeTraffic
import WebFiles

/// What the daemon serves over HTTP (protocol.md, "HTTP").
@MainActor struct Routes {
    let hub: Hub
    let transport: TransportConfiguration
    private var access: AccessPolicy { transport.access }
    let script: BridgeScript

    func install(in router: Router) {
        router.on(.get, "/") { _ in HTTPResponse(status: .found, fields: [("Location", "/demo/")]) }
        router.on(.get, "/health") { _ in .text("ok") }
        router.on(.get, "/bridge.js", respond: bridgeScript)
        router.on(.get, "/demo") { _ in HTTPResponse(status: .found, fields: [("Location", "/demo/")]) }
        router.on(.get, "/demo/", respond: demo)
        for name in ["demo.js", "demo.css", "head.js"] {
            router.on(.get, "/demo/\(name)") { file("demo/\(name)", $0) }
        }
        router.on(.post, "/demo/notification_tokens", respond: registerToken)
        router.on(.post, "/beacon", respond: beacon)
    }

    /// What a document left behind as it went: browsers send it as text, and wait for no answer.
    private func beacon(_ request: HTTPRequest) -> HTTPResponse {
        // Browsers name the origin of every POST, and the access have looked at it; other clients have nothing to
        // leave behind.
        guard request.headers.origin != nil else {
            return refused(
                Refusal(
                    code: .originMissing, text: "Something without an Origin, so no browser, sent a beacon.",
                    hint: "Only pages leave something behind, and browsers name their origin."))
        }
        if let refusal = access.refusal(ofPageWith: request.value(of: "token")) { return refused(refusal) }
        do throws(RPCError) {
            try hub.receiveBeacon(request.body)
            return HTTPResponse(status: .noContent)
        } catch {
            hub.traffic.problem(
                "badBeacon", error.message, hint: "Only bridge.js posts here, for a document that has attached.")
            hub.traffic.flush()
            return .text(error.message, status: .badRequest)
        }
    }

    private func refused(_ refusal: Refusal) -> HTTPResponse {
        hub.traffic.report(refusal)
        return .refusal(refusal)
    }

    private func bridgeScript(_ request: HTTPRequest) -> HTTPResponse {
        let token = request.value(of: "token")
        if let refusal = access.refusal(ofPageWith: token) { return refused(refusal) }
        if let directive = request.value(of: "blocked") { return blocked(by: directive, request) }
        let webView = request.value(of: "web-view")
        return script.response(
            BridgeScript.Settings(
                url: "\(transport.webSocketScheme)://\(request.headers.host ?? "")/page", token: token,
                userAgent: request.headers.userAgent, webView: webView,
                hasUserScripts: request.value(of: "user-scripts") != "none", hub: hub))
    }

    /// `?blocked=connect-src&from=URL`: a page whose policy lets in this script, and not its connection (or, for
    /// `script-src`, nothing that native code evaluates), can tell only so.
    private func blocked(by directive: String, _ request: HTTPRequest) -> HTTPResponse {
        let host = request.headers.host ?? ""
        let page = request.value(of: "from")?.forText ?? "an unknown page"
        if directive == "script-src" {
            hub.traffic.problem(
                "policy", "The Content-Security-Policy of \(page) forbids eval, so native code can't evaluate there.",
                hint: "Give the tag of bridge.js the policy's nonce, or add 'unsafe-eval' to its script-src.")
        } else {
            let directive = directive.forText
            let (http, webSocket) = (transport.scheme, transport.webSocketScheme)
            hub.traffic.problem(
                "policy", "The Content-Security-Policy of \(page) forbids the connection: \(directive).",
                hint:
                    "Add to its \(directive) (or default-src), in development: \(webSocket)://\(host)/ \(http)://\(host)/"
            )
        }
        hub.traffic.flush()
        return HTTPResponse(contentType: "text/javascript; charset=utf-8", fields: [("Cache-Control", "no-store")])
    }

    /// Beyond this machine, the page's URL carries the page token, and its tag of `bridge.js` needs it as well.
    private func demo(_ request: HTTPRequest) -> HTTPResponse {
        let token = request.value(of: "token")
        if let refusal = access.refusal(ofPageWith: token) { return refused(refusal) }
        var response = file("demo/index.html", request)
        if let token = access.pageToken?.text {
            let html = String(decoding: response.body, as: UTF8.self)
            response.body = Array(html.replacing("\"/bridge.js\"", with: "\"/bridge.js?token=\(token)\"").utf8)
        }
        return response
    }

    private func file(_ name: String, _ request: HTTPRequest) -> HTTPResponse {
        do throws(MissingWebFile) {
            let host = request.headers.host ?? ""
            // The demo lets native code evaluate script in it; apart from that it trusts nobody.
            let policy = """
                default-src 'none'; script-src 'self' 'unsafe-eval'; style-src 'self'; img-src 'self' data:; \
                connect-src 'self' \(transport.webSocketScheme)://\(host); \
                frame-ancestors 'none'; base-uri 'none'; form-action 'self'
                """
            return HTTPResponse(
                contentType: WebFiles.contentType(of: name),
                fields: [
                    ("Cache-Control", "no-cache"), ("Content-Security-Policy", policy),
                    ("Referrer-Policy", "no-referrer"),
                ],
                body: try WebFiles.read(name))
        } catch {
            return .text(error.description, status: .notFound)
        }
    }

    /// The demo's server side: a Rails app would keep the token here.
    private func registerToken(_ request: HTTPRequest) -> HTTPResponse {
        if let refusal = access.refusal(ofTypeOf: request) { return refused(refusal) }
        let body = request.body.withUnsafeBytes { bytes in try? JSON.parse(bytes) }
        guard let token = body?["token"]?.string else {
            return .text("Send {\"token\": …} with a string.", status: .badRequest)
        }
        var writer = JSONWriter()
        writer.object { $0.member("token", token) }
        return HTTPResponse(status: .created, contentType: "application/json", body: writer.bytes)
    }
}
