import BridgeProtocol
import BridgeTraffic

/// The control channel over plain HTTP: `/rpc`, `/openrpc.json` and `/metrics`.
@MainActor struct ControlRoutes {
    let control: Control
    let transport: TransportConfiguration
    let traffic: TrafficLog

    private var access: AccessPolicy { transport.access }

    func install(in router: Router) {
        router.on(.post, "/rpc", rpc)
        router.on(.get, "/openrpc.json") { refusalBeyondThisMachine($0) ?? .json(control.openRPC) }
        router.on(.get, "/metrics", respond: metrics)
    }

    // MARK: /rpc

    private func rpc(_ request: HTTPRequest, _ responder: HTTPResponder) {
        if let refusal = access.refusal(ofTool: request) { return refuse(refusal, .notAllowed, responder) }
        // A page of another site can send some other content types without a preflight.
        if let refusal = access.refusal(ofTypeOf: request) { return refuse(refusal, .invalidRequest, responder) }
        do throws(JSONParseError) {
            answer(RPCFrame(try JSON.parse(request.body, transport.limits.json)), responder)
        } catch {
            responder.respond(.error(.parseError(error), status: .badRequest))
        }
    }

    private func answer(_ frame: RPCFrame, _ responder: HTTPResponder) {
        Task {
            let body = await control.answers(frame, of: responder.id)
            responder.respond(
                body.map { HTTPResponse(contentType: "application/json", body: $0) } ?? HTTPResponse(status: .noContent)
            )
        }
    }

    private func refuse(_ refusal: Refusal, _ code: RPCError.Code, _ responder: HTTPResponder) {
        traffic.report(refusal)
        let text = "\(refusal.text) \(refusal.hint)"
        var response = HTTPResponse.error(
            code == .invalidRequest ? .invalidRequest(text) : RPCError(code, text), status: refusal.status)
        response.fields = HTTPResponse.refusal(refusal).fields
        responder.respond(response)
    }

    // MARK: /metrics and /openrpc.json

    /// Counters and the list of methods reveal nothing about the contents of messages, so no token is needed unless the
    /// daemon listens beyond this machine.
    private func refusalBeyondThisMachine(_ request: HTTPRequest) -> HTTPResponse? {
        guard access.pageToken != nil, let refusal = access.refusal(ofTool: request) else { return nil }
        return traffic.refuse(refusal)
    }

    private func metrics(_ request: HTTPRequest) -> HTTPResponse {
        refusalBeyondThisMachine(request)
            ?? HTTPResponse(
                contentType: "text/plain; version=0.0.4; charset=utf-8", body: Array(control.daemon.prometheusText.utf8)
            )
    }
}
