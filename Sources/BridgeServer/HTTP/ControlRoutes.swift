import BridgeProtocol
import BridgeTraffic

/// The control channel over plain HTTP.
@MainActor struct ControlRoutes {
    let control: Control

    func install(in router: Router) {
        router.on(.post, "/rpc", rpc)
        router.on(.get, "/openrpc.json") { [control] _ in .json(control.openRPC) }
        router.on(.get, "/metrics", respond: metrics)
        TrafficRoute(control: control).install(in: router)
    }

    // MARK: /rpc

    private func rpc(_ request: HTTPRequest, _ responder: HTTPResponder) {
        if let refusal = control.access.refusal(ofTool: request) {
            control.hub.traffic.report(refusal)
            return responder.respond(refused(refusal))
        }
        // A page of another site could send other types without being asked, and `text/plain` is what curl forgets.
        if let refusal = control.access.refusal(ofTypeOf: request) {
            control.hub.traffic.report(refusal)
            return responder.respond(
                error(.invalidRequest("\(refusal.text) \(refusal.hint)"), status: refusal.status))
        }
        let parsed = request.body.withUnsafeBytes { [nesting = control.limits.nesting] bytes in
            Result { () throws(JSONParseError) in try JSON.parse(bytes, nesting: nesting) }
        }
        switch parsed {
        case .failure(let problem): responder.respond(error(.parseError(problem), status: .badRequest))
        case .success(let json): answer(RPCFrame(json), responder)
        }
    }

    private func answer(_ frame: RPCFrame, _ responder: HTTPResponder) {
        Task {
            let responses = await control.answers(frame, of: responder.id)
            guard !responses.isEmpty else { return responder.respond(HTTPResponse(status: .noContent)) }
            var writer = JSONWriter()
            if frame.isBatch {
                writer.array { writer in
                    for write in responses { write(&writer) }
                }
            } else {
                responses[0](&writer)
            }
            responder.respond(HTTPResponse(contentType: "application/json", body: writer.bytes))
        }
    }

    private func refused(_ refusal: Refusal) -> HTTPResponse {
        var response = error(RPCError(.notAllowed, "\(refusal.text) \(refusal.hint)"), status: refusal.status)
        response.fields = HTTPResponse.refusal(refusal).fields
        return response
    }

    private func error(_ error: RPCError, status: HTTPStatus) -> HTTPResponse {
        var writer = JSONWriter()
        writer.error(id: .null, error)
        return HTTPResponse(status: status, contentType: "application/json", body: writer.bytes)
    }

    // MARK: /metrics

    /// Counters tell nothing of what pages say, so that no token is needed on this machine.
    private func metrics(_ request: HTTPRequest) -> HTTPResponse {
        if control.access.pageToken != nil, let refusal = control.access.refusal(ofTool: request) {
            control.hub.traffic.report(refusal)
            return .refusal(refusal)
        }
        return HTTPResponse(
            contentType: "text/plain; version=0.0.4; charset=utf-8", body: Array(control.prometheusText.utf8))
    }
}
