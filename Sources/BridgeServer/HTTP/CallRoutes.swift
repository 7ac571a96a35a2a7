import BridgeProtocol
import BridgeTraffic

/// `POST /call`: a synchronous call of an interface object (`addJavascriptInterface`) by a page.
///
/// Pages of every origin that may attach may also call. Before a page of another origin sends JSON, its browser asks
/// for permission with a preflight request (https://fetch.spec.whatwg.org/#cors-preflight-fetch).
@MainActor struct CallRoutes {
    let parts: ServerParts
    let access: AccessPolicy

    func install(in router: Router) {
        router.on(.options, "/call", respond: allow)
        router.on(.post, "/call", call)
    }

    /// Answers the preflight. The access policy has already accepted the origin.
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
            return responder.respond(parts.documents.traffic.refuse(refusal).readable(by: origin))
        }
        let sender = PageSender(request.headers, access)
        let limit = parts.documents.limits.attachTimeout
        parts.departure.owning(request.body, from: sender, within: limit, orElse: .badCall) {
            [parts] () throws(RPCError) in
            try parts.departure.receiveCall(request.body, from: sender) { answer, isKept, run in
                let response = answer.map {
                    HTTPResponse(status: isKept ? .ok : .accepted, contentType: "application/json", body: $0)
                }
                var known = (response ?? HTTPResponse(status: .noContent)).readable(by: origin)
                known.fields += [("Bridged-Run", "\(run)"), ("Access-Control-Expose-Headers", "Bridged-Run")]
                responder.respond(known)
            }
        } refused: { refusal in
            responder.respond(HTTPResponse.refusal(refusal).readable(by: origin))
        } failed: { [parts] error in
            parts.documents.traffic.problem(
                .badCall, error.message, hint: "Only bridge.js posts to /call, for the document it runs in.")
            parts.documents.traffic.flush()
            responder.respond(HTTPResponse.error(error, status: .badRequest).readable(by: origin))
        }
    }

    private func refusal(of request: HTTPRequest) -> Refusal? {
        guard request.headers.origin != nil else {
            return Refusal(
                code: .originMissing,
                text: "A client that is not a browser (it sent no Origin) called an interface object.",
                hint: "Only pages may call interface objects. A tool can evaluate script in a page instead.")
        }
        return access.refusal(ofPageWith: request.value(of: "token")) ?? access.refusal(ofTypeOf: request)
    }
}

extension HTTPResponse {
    /// Adds the header fields that allow a page of `origin` to read the response. The access policy has already
    /// accepted that origin.
    fileprivate func readable(by origin: String?) -> HTTPResponse {
        var response = self
        response.fields += [("Cache-Control", "no-store"), ("Vary", "Origin")]
        if let origin { response.fields.append(("Access-Control-Allow-Origin", origin)) }
        return response
    }
}
