import BridgeProtocol
import BridgeTraffic

/// The routes of the demo page, its files and its server side.
@MainActor struct DemoRoutes {
    let traffic: TrafficLog
    let transport: TransportConfiguration

    func install(in router: Router) {
        router.on(.get, "/demo") { _ in HTTPResponse(status: .found, fields: [("Location", "/demo/")]) }
        router.on(.get, "/demo/", respond: demo)
        for name in ["demo.js", "demo.css", "head.js"] {
            router.on(.get, "/demo/\(name)") { .webFile("demo/\(name)", for: $0, transport) }
        }
        router.on(.post, "/demo/notification_tokens", respond: registerToken)
    }

    /// Serves the page. If the daemon requires a page token, the page's URL must contain it, and the URL of its
    /// `bridge.js` tag gets it, too.
    private func demo(_ request: HTTPRequest) -> HTTPResponse {
        if let refusal = transport.access.refusal(ofPageWith: request.value(of: "token")) {
            return traffic.refuse(refusal)
        }
        // The policy allows native code to evaluate scripts. With a nonce, bridge.js runs them in script elements, without
        // an error in the console.
        let nonce = AccessToken().text
        var response = HTTPResponse.webFile(
            "demo/index.html", for: request, transport, scripts: ["'unsafe-eval'", "'nonce-\(nonce)'"])
        let query = transport.access.pageToken.map { "?token=\($0.text)" } ?? ""
        let html = String(decoding: response.body, as: UTF8.self)
        let tag = "\"/bridge.js\(query)\" nonce=\"\(nonce)\""
        response.body = Array(html.replacing("\"/bridge.js\"", with: tag).utf8)
        return response
    }

    /// Accepts a push notification token, which a Rails app would store.
    private func registerToken(_ request: HTTPRequest) -> HTTPResponse {
        if let refusal = transport.access.refusal(ofTypeOf: request) { return traffic.refuse(refusal) }
        guard let token = (try? JSON.parse(request.body, transport.limits.json))?["token"]?.string else {
            return .text("Expected {\"token\": …} with a string.", status: .badRequest)
        }
        return .json(["token": .string(token)] as JSONValue, status: .created)
    }
}
