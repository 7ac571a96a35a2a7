import BridgeProtocol
import Foundation

/// The faults that tools have added, for all requests of a window.
extension ChromiumTarget {
    /// Pauses the requests for documents, about which native code decides, and pings, which may outlive their document, and
    /// the answers of both; with faults, all requests. Those of scripts are paused because Chromium says only of a paused
    /// request that its server asks for a password.
    func pauseRequests() {
        let all = webView?.settings.faults.isEmpty == false
        send("Fetch.enable") { writer in
            writer.member(
                "patterns",
                (all ? [nil] : ["Document", "Ping", "Fetch", "XHR"]).map {
                    RequestPause(resourceType: $0, stage: "Request")
                } + ["Document", "Ping"].map { RequestPause(resourceType: $0, stage: "Response") })
            writer.member("handleAuthRequests", true)
        }
    }

    /// Notes a ping and what becomes of it. Chromium announces one that a leaving document sends (`Network`) only here.
    func pingPaused(_ id: String, _ params: JSON) {
        let failure = params["responseErrorReason"]?.string
        guard failure != nil || params["responseStatusCode"] != nil else {
            let oldest = requests.pingSent(id, params["request"] ?? .null, params["frameId"]?.string ?? "")
            tell(oldest.map { [$0] } ?? [])
            return proceed(params)
        }
        if takeCut(id) {
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

    /// Lets a paused request go on, unless a fault is for it.
    func proceed(_ params: JSON) {
        guard let id = params["requestId"]?.string else { return }
        let url = params["request"]?["url"]?.string ?? ""
        guard url.hasPrefix("http"), let fault = webView?.takeFault(for: url) else { return proceed(id) }
        let isPing = params["resourceType"]?.string == "Ping"
        let request = isPing ? id : params["networkId"]?.string
        if let request { requests.mark(request, fault: fault.id) }
        if isPing { endFaultyPing(id, fault.fault.kind) }
        switch fault.fault.kind {
        case .offline: loseRequest(id, params, "InternetDisconnected")
        case .slow(let delay):
            Task { [weak self] in
                try? await Task.sleep(for: delay)
                self?.proceed(id)
            }
        case .status(let status): fulfill(id, status: status, "<!doctype html><title>\(status)</title>\(status)\n")
        case .missing: fulfill(id, status: 404, "")
        case .cut:
            // Without this id, nothing tells which response belongs to the request.
            guard let request else { return loseRequest(id, params, "ConnectionReset") }
            cut.insert(request)
            proceed(id, pausesResponse: true)
        }
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

    /// Whether the response of a paused request has to be lost.
    func takeCut(_ request: String) -> Bool { cut.remove(request) != nil }

    func proceed(_ request: String, pausesResponse: Bool = false) {
        send("Fetch.continueRequest") { writer in
            writer.member("requestId", request)
            if pausesResponse { writer.member("interceptResponse", true) }
        }
    }

    func fail(_ request: String, _ reason: String) {
        send("Fetch.failRequest") { writer in
            writer.member("requestId", request)
            writer.member("errorReason", reason)
        }
    }
}

private struct RequestPause: JSONWritable {
    let resourceType: String?
    let stage: String

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("resourceType", ifPresent: resourceType)
            writer.member("requestStage", stage)
        }
    }
}
