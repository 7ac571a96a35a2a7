import BridgeProtocol
import Foundation

/// The requests of a target of Chromium: it records them, pauses those about which somebody has to decide (`Fetch`), and
/// applies the faults that tools have added.
@MainActor final class ChromiumNetwork {
    private let session: ChromiumSession
    private let frames: ChromiumFrames
    private var requests = ChromiumRequests()
    /// The requests whose responses have to be lost, by the ids of the domain `Network`.
    private(set) var cut: Set<String> = []
    /// Called with a paused request for a document that a fault makes fail, and with the reason.
    var onLostDocument: (_ params: JSON, _ reason: String) -> Void = { _, _ in }

    init(_ session: ChromiumSession, _ frames: ChromiumFrames) { (self.session, self.frames) = (session, frames) }

    // MARK: Records

    /// Handles an event of the domain `Network`.
    func handle(_ event: BrowserEvent) {
        if ["Network.loadingFinished", "Network.loadingFailed"].contains(event.method) {
            cut.remove(event.params["requestId"]?.string ?? "")
        }
        tell(requests.handle(event.method, event.params))
    }

    /// The response of a paused request has come. Native code may refuse it yet.
    func answered(_ request: String, status: Int, mimeType: String?) {
        requests.answered(request, status: status, mimeType: mimeType)
    }

    /// Ends the requests of the documents that a frame has left.
    /// - Parameter loader: that of the document which the frame shows now; nil if the frame is gone.
    func leave(_ frame: String, for loader: String?) { tell(requests.leave(frame, for: loader)) }

    private func tell(_ ended: [(frame: String, FinishedRequest)]) {
        for (frame, request) in ended { frames.webView?.tell(request, from: frames.page(of: frame)) }
    }

    // MARK: Paused requests

    /// Pauses the requests for documents, about which native code decides, and pings, which may outlive their document, and
    /// the answers of both; with faults, all requests. Those of scripts are paused because Chromium says only of a paused
    /// request that its server asks for a password.
    func pause() {
        let all = frames.webView?.settings.faults.isEmpty == false
        let types: [JSONValue] = ["Document", "Ping", "Fetch", "XHR"]
        let requests: [JSONValue] = all ? [[:]] : types.map { ["resourceType": $0] }
        let answers: [JSONValue] = types[..<2].map { ["resourceType": $0, "requestStage": "Response"] }
        session.send("Fetch.enable") { writer in
            writer.member("patterns", requests + answers)
            writer.member("handleAuthRequests", true)
        }
    }

    /// Lets a paused request go on, unless a fault is for it.
    func proceed(_ params: JSON) {
        guard let id = params["requestId"]?.string else { return }
        let url = params["request"]?["url"]?.string ?? ""
        guard url.hasPrefix("http"), params["request"]?["urlFragment"]?.string != FinishedRequest.doctorFragment,
            let fault = frames.webView?.takeFault(for: url)
        else { return proceed(id) }
        let isPing = params["resourceType"]?.string == "Ping"
        let request = isPing ? id : params["networkId"]?.string
        if let request { requests.mark(request, fault: fault.id) }
        if isPing { endFaultyPing(id, fault.fault.kind) }
        switch fault.fault.kind {
        case .offline: lose(id, params, "InternetDisconnected")
        case .slow(let delay):
            Task { [weak self] in
                try? await Task.sleep(for: delay)
                self?.proceed(id)
            }
        case .status(let status): fulfill(id, status: status, "<!doctype html><title>\(status)</title>\(status)\n")
        case .missing: fulfill(id, status: 404, "")
        case .cut:
            // Without this id, nothing tells which response belongs to the request.
            guard let request else { return lose(id, params, "ConnectionReset") }
            cut.insert(request)
            proceed(id, pausesResponse: true)
        }
    }

    func proceed(_ request: String, pausesResponse: Bool = false) {
        session.send("Fetch.continueRequest") { writer in
            writer.member("requestId", request)
            if pausesResponse { writer.member("interceptResponse", true) }
        }
    }

    func fail(_ request: String, _ reason: String) {
        session.send("Fetch.failRequest") { writer in
            writer.member("requestId", request)
            writer.member("errorReason", reason)
        }
    }

    /// Answers a paused request.
    /// - Parameter headers: those of the server's response, apart from those of its body.
    func fulfill(_ request: String, status: Int, _ html: String, keeping headers: [JSON] = []) {
        let ofBody = ["content-type", "content-length", "content-encoding", "transfer-encoding"]
        let kept = headers.filter { !ofBody.contains($0["name"]?.string?.lowercased() ?? "") }.map { JSONValue($0) }
        session.send("Fetch.fulfillRequest") { writer in
            writer.member("requestId", request)
            writer.member("responseCode", status)
            let type: JSONValue = ["name": "Content-Type", "value": "text/html; charset=utf-8"]
            writer.member("responseHeaders", kept + [type])
            writer.member("body", Data(html.utf8).base64EncodedString())
        }
    }

    /// Loses the response of a paused request, if a fault cuts it.
    /// - Returns: whether it does.
    func losesResponse(_ id: String, _ params: JSON) -> Bool {
        guard let request = params["networkId"]?.string, cut.remove(request) != nil else { return false }
        lose(id, params, "ConnectionReset")
        return true
    }

    /// Fails a request for which there is a fault.
    private func lose(_ id: String, _ params: JSON, _ reason: String) {
        if params["resourceType"]?.string == "Document" { onLostDocument(params, reason) } else { fail(id, reason) }
    }

    // MARK: Pings

    /// Notes a ping and what becomes of it. Chromium announces one that a leaving document sends (`Network`) only here.
    func pingPaused(_ id: String, _ params: JSON) {
        let failure = params["responseErrorReason"]?.string
        guard failure != nil || params["responseStatusCode"] != nil else {
            let oldest = requests.pingSent(id, params["request"] ?? .null, params["frameId"]?.string ?? "")
            tell(oldest.map { [$0] } ?? [])
            return proceed(params)
        }
        if cut.remove(id) != nil {
            endPing(id, failure: "ConnectionReset")
            return fail(id, "ConnectionReset")
        }
        let header = params["responseHeaders"]?.elements.first { $0["name"]?.string?.lowercased() == "content-type" }
        endPing(
            id, status: params["responseStatusCode"]?.wholeNumber,
            mimeType: header?["value"]?.string?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces),
            failure: failure)
        proceed(id)
    }

    private func endPing(_ id: String, status: Int? = nil, mimeType: String? = nil, failure: String? = nil) {
        tell(requests.pingEnded(id, status: status, mimeType: mimeType, failure: failure).map { [$0] } ?? [])
    }

    /// Ends a ping whose response the driver gives itself.
    private func endFaultyPing(_ request: String, _ kind: Fault.Kind) {
        switch kind {
        case .offline: endPing(request, failure: "net::ERR_INTERNET_DISCONNECTED")
        case .status(let status): endPing(request, status: status)
        case .missing: endPing(request, status: 404)
        case .slow, .cut: break
        }
    }
}
