import BridgeProtocol
import BridgeTraffic

/// `POST /call`: a page's synchronous request. Pages of other origins may send it where they may attach; a browser asks
/// first, because JSON is none of the types that a form can send (https://fetch.spec.whatwg.org/#cors-preflight-fetch).
@MainActor struct CallRoute {
    let hub: Hub
    let access: AccessPolicy

    func install(in router: Router) {
        router.on(.options, "/call", respond: allow)
        router.on(.post, "/call", call)
    }

    /// The access have looked at the origin.
    private func allow(_ request: HTTPRequest) -> HTTPResponse {
        var response = HTTPResponse(status: .noContent)
        response.fields = [
            ("Access-Control-Allow-Methods", "POST"), ("Access-Control-Allow-Headers", "Content-Type"),
            ("Access-Control-Max-Age", "600"),
        ]
        return response.readable(by: request.headers.origin)
    }

    private func call(_ request: HTTPRequest, _ responder: HTTPResponder) {
        let origin = request.headers.origin
        if let refusal = refusal(of: request) {
            hub.traffic.report(refusal)
            return responder.respond(HTTPResponse.refusal(refusal).readable(by: origin))
        }
        do throws(RPCError) {
            try hub.receiveCall(request.body) { answer in
                let response = answer.map { HTTPResponse(contentType: "application/json", body: $0) }
                responder.respond((response ?? HTTPResponse(status: .noContent)).readable(by: origin))
            }
        } catch {
            hub.traffic.problem("badCall", error.message, hint: "Only bridge.js posts to /call, for its own document.")
            hub.traffic.flush()
            var writer = JSONWriter()
            writer.error(id: .null, error)
            responder.respond(
                HTTPResponse(status: .badRequest, contentType: "application/json", body: writer.bytes)
                    .readable(by: origin))
        }
    }

    private func refusal(of request: HTTPRequest) -> Refusal? {
        guard request.headers.origin != nil else {
            return Refusal(
                code: .originMissing, text: "Something without an Origin, so no browser, called an interface object.",
                hint: "Only pages call them, and browsers name their origin. A tool evaluates script in a page.")
        }
        return access.refusal(ofPageWith: request.value(of: "token")) ?? access.refusal(ofTypeOf: request)
    }
}

extension HTTPResponse {
    /// - Parameter origin: one that the access let in.
    fileprivate func readable(by origin: String?) -> HTTPResponse {
        var response = self
        response.fields += [("Cache-Control", "no-store"), ("Vary", "Origin")]
        if let origin { response.fields.append(("Access-Control-Allow-Origin", origin)) }
        return response
    }
}
