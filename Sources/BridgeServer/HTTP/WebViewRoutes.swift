import BridgeProtocol
import BridgeTraffic

/// `/web-view?name=NAME`: what a driver must know of a web view before it shows the first document.
///
/// It has the handlers and user scripts of the app, so only tools may read it.
@MainActor struct WebViewRoutes {
    let hub: Hub
    let access: AccessPolicy

    func install(in router: Router) {
        router.on(.get, "/web-view", respond: respond)
    }

    private func respond(_ request: HTTPRequest) -> HTTPResponse {
        if let refusal = access.refusal(ofTool: request) {
            hub.traffic.report(refusal)
            return .refusal(refusal)
        }
        let name = request.value(of: "name") ?? "main"
        guard name.utf8.count <= PageText.webView else {
            return .text("The name of a web view has at most \(PageText.webView) bytes.", status: .badRequest)
        }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("handlers", hub.handlerInfo(of: name, isDriven: true))
            writer.members(of: hub.settings(of: name))
        }
        return HTTPResponse(
            contentType: "application/json", fields: [("Cache-Control", "no-store")], body: writer.bytes)
    }
}
