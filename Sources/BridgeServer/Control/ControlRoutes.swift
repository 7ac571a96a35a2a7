import BridgeProtocol

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
        if let refusal = control.doors.refusal(ofTool: request) {
            control.hub.traffic.refused(refusal)
            return responder.respond(refused(refusal))
        }
        // A page of another site could send other types without being asked, and `text/plain` is what curl forgets.
        guard (request.headers.contentType ?? "").lowercased().hasPrefix("application/json") else {
            let found = request.headers.contentType.map { "'\($0.forText)'" } ?? "none"
            return responder.respond(
                error(
                    .invalidRequest("expected Content-Type: application/json, found \(found)"),
                    status: .unsupportedMediaType))
        }
        let parsed = request.body.withUnsafeBytes { bytes in
            Result { () throws(JSONParseError) in try JSON.parse(bytes) }
        }
        switch parsed {
        case .failure(let problem): responder.respond(error(.parseError(problem), status: .badRequest))
        case .success(let json): answer(RPCFrame(json), responder)
        }
    }

    /// The calls of a batch begin in order, and go on beside each other; their responses keep the order.
    private func answer(_ frame: RPCFrame, _ responder: HTTPResponder) {
        let calls = frame.messages.map { message in Task { await response(to: message) } }
        Task {
            var responses: [@Sendable (inout JSONWriter) -> Void] = []
            for call in calls {
                if let response = await call.value { responses.append(response) }
            }
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

    /// Nil for a notification, which has none (JSON-RPC 2.0, section 4.1).
    private func response(to message: RPCMessage) async -> (@Sendable (inout JSONWriter) -> Void)? {
        switch message {
        case .request(let id, let method, let params):
            return await control.answer(id, method, params, .http)
        case .notification(let method, let params):
            _ = await control.notify(method, params, .http)
            return nil
        case .malformed(let id, let error): return { $0.error(id: id, error) }
        case .success(let id, _), .failure(let id, _, _):
            return { $0.error(id: id, .invalidRequest("a response, and nothing was asked of a tool")) }
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
        if control.doors.pageToken != nil, let refusal = control.doors.refusal(ofTool: request) {
            control.hub.traffic.refused(refusal)
            return .refusal(refusal)
        }
        return HTTPResponse(
            contentType: "text/plain; version=0.0.4; charset=utf-8", body: Array(control.prometheusText.utf8))
    }
}
