import BridgeProtocol
import BridgeTraffic

/// `/web-view?name=NAME`: what a driver must know about a web view before it shows the first document.
///
/// It has the handlers and user scripts of the app, so only tools may read it.
@MainActor struct WebViewRoutes {
    let parts: ServerParts
    let access: AccessPolicy

    func install(in router: Router) {
        router.on(.get, "/web-view", respond: respond)
        router.on(.get, "/web-view/credentials", respond: respondWithCredentials)
        router.on(.post, "/web-view/scheme", load)
    }

    /// `/web-view/scheme?name=NAME`: what native code answers to a page's request of its own URL scheme. The response has
    /// the length and the text of a `SchemeAnswer`, and then the body as native code gives it. It is cut if native code
    /// fails after that.
    private func load(_ request: HTTPRequest, _ responder: HTTPResponder) {
        if let refusal = access.refusal(ofTool: request) ?? access.refusal(ofTypeOf: request) {
            return responder.respond(parts.documents.traffic.refuse(refusal))
        }
        guard let json = try? JSON.parse(request.body), let asked = SchemeRequest(json) else {
            return responder.respond(
                .text("Expected the JSON object of a request with a url, found something else.", status: .badRequest))
        }
        let name = request.value(of: "name") ?? "main"
        guard let handler = parts.webViews.scope(of: name).schemeHandler else {
            let text = "The web view \(name.forText) has no handler of a URL scheme: its native object may be gone."
            return responder.respond(.text(text, status: .notFound))
        }
        handler(SchemeLoad(asked, responder.stream(contentType: "application/octet-stream")))
    }

    /// `/web-view/credentials?name=NAME&host=HOST&port=PORT&scheme=SCHEME&realm=REALM`: what a stub of
    /// `window.authentication` replies, or what the user of the app has typed. The driver asks in this way for the
    /// first document of a window, which has no page yet.
    private func respondWithCredentials(_ request: HTTPRequest) -> HTTPResponse {
        if let refusal = access.refusal(ofTool: request) { return parts.documents.traffic.refuse(refusal) }
        let challenge = AuthenticationChallenge(
            host: request.value(of: "host") ?? "", port: request.value(of: "port").flatMap { Int($0) },
            scheme: request.value(of: "scheme") ?? "", realm: request.value(of: "realm") ?? "")
        let name = request.value(of: "name") ?? "main"
        let stub = parts.webViews.stub(answering: .authentication, ScriptValue(challenge.json), of: name)
        var answer: JSONValue = [:]
        if case .value(let value)? = stub?.rule.reply, let user = value.child("user")?.string,
            let password = value.child("password")?.string
        {
            answer = ["user": .string(user), "password": .string(password)]
        } else if let (user, password) = parts.drivers.passwords.answer(to: challenge) {
            answer = ["user": .string(user), "password": .string(password)]
        } else {
            parts.drivers.passwords.miss(challenge)
            parts.documents.traffic.reportUnanswered(challenge, page: nil)
        }
        return HTTPResponse(
            contentType: "application/json", fields: [("Cache-Control", "no-store")], body: Array(answer.text.utf8))
    }

    private func respond(_ request: HTTPRequest) -> HTTPResponse {
        if let refusal = access.refusal(ofTool: request) { return parts.documents.traffic.refuse(refusal) }
        let name = request.value(of: "name") ?? "main"
        guard name.utf8.count <= PageText.webView else {
            return .text("The name of a web view has at most \(PageText.webView) bytes.", status: .badRequest)
        }
        let settings = parts.webViews.settings(of: name, isDriven: true)
        return HTTPResponse(
            contentType: "application/json", fields: [("Cache-Control", "no-store")], body: Array(settings.text.utf8))
    }
}
