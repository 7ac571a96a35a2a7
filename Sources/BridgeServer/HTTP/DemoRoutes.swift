import BridgeProtocol
import BridgeTraffic
import WebFiles

/// The routes of the demo page, its files and its server side.
@MainActor struct DemoRoutes {
    let traffic: TrafficLog
    let transport: TransportConfiguration

    func install(in router: Router) {
        for path in ["/", "/demo"] {
            router.on(.get, path) { _ in HTTPResponse(status: .found, fields: [("Location", "/demo/")]) }
        }
        router.on(.get, "/demo/", respond: demo)
        for name in ["demo.js", "demo.css", "head.js"] {
            router.on(.get, "/demo/\(name)") { file("demo/\(name)", $0) }
        }
        router.on(.post, "/demo/notification_tokens", respond: registerToken)
    }

    /// Serves the page. If the daemon requires a page token, the page's URL must contain it, and the URL of its
    /// `bridge.js` tag gets it, too.
    private func demo(_ request: HTTPRequest) -> HTTPResponse {
        if let refusal = transport.access.refusal(ofPageWith: request.value(of: "token")) { return refuse(refusal) }
        // With a nonce, bridge.js runs native code's scripts in script elements, without an error in the console.
        let nonce = AccessToken().text
        var response = file("demo/index.html", request, scripts: " 'nonce-\(nonce)'")
        let query = transport.access.pageToken.map { "?token=\($0.text)" } ?? ""
        let html = String(decoding: response.body, as: UTF8.self)
        let tag = "\"/bridge.js\(query)\" nonce=\"\(nonce)\""
        response.body = Array(html.replacing("\"/bridge.js\"", with: tag).utf8)
        return response
    }

    private func refuse(_ refusal: Refusal) -> HTTPResponse {
        traffic.report(refusal)
        return .refusal(refusal)
    }

    /// - Parameter scripts: more sources of scripts.
    private func file(_ name: String, _ request: HTTPRequest, scripts: String = "") -> HTTPResponse {
        do throws(MissingWebFile) {
            // The policy allows native code to evaluate scripts, and otherwise only what the demo needs.
            let policy = """
                default-src 'none'; script-src 'self' 'unsafe-eval'\(scripts); style-src 'self'; img-src 'self' data:; \
                connect-src 'self' \(transport.webSocketScheme)://\(request.headers.host ?? ""); \
                frame-ancestors 'none'; base-uri 'none'; form-action 'self'
                """
            return HTTPResponse(
                contentType: WebFiles.contentType(of: name),
                fields: [("Cache-Control", "no-cache"), ("Referrer-Policy", "no-referrer")], policy: policy,
                body: try WebFiles.read(name))
        } catch {
            return .text(error.description, status: .notFound)
        }
    }

    /// Accepts a push notification token, which a Rails app would store.
    private func registerToken(_ request: HTTPRequest) -> HTTPResponse {
        if let refusal = transport.access.refusal(ofTypeOf: request) { return refuse(refusal) }
        guard let token = (try? JSON.parse(request.body))?["token"]?.string else {
            return .text("Expected {\"token\": …} with a string.", status: .badRequest)
        }
        return .json(["token": .string(token)] as JSONValue, status: .created)
    }
}
