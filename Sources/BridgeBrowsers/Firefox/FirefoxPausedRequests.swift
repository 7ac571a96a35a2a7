import BridgeProtocol

/// Lets requests go on that Firefox has paused ("network intercepts"), with the faults that tools have added.
@MainActor final class FirefoxPausedRequests {
    private let connection: BiDiConnection
    /// The faults of the requests that are under way, by Firefox's ids of these.
    private var applied: [String: RequestFault] = [:]

    init(_ connection: BiDiConnection) { self.connection = connection }

    /// Returns the fault that was applied to a request that has ended.
    func takeApplied(to request: String) -> RequestFault? { applied.removeValue(forKey: request) }

    /// Sends a request, unless a fault of the web view is in its way.
    func proceed(_ id: String, to url: String, in webView: DrivenWebView?) {
        guard url.hasPrefix("http"), let fault = webView?.takeFault(for: url) else { return proceed(id) }
        applied[id] = fault
        switch fault.fault.kind {
        case .offline: fail(id)
        case .slow(let delay):
            Task { [weak self] in
                try? await Task.sleep(for: delay)
                self?.proceed(id)
            }
        case .status(let status): respond(to: id, status, "<!doctype html><title>\(status)</title>\(status)\n")
        case .missing: respond(to: id, 404, "")
        case .cut: proceed(id)
        }
    }

    /// Shows a response, unless a fault has cut it.
    /// - Parameter headers: replace those of the response; nil for none.
    func proceedWithResponse(_ id: String, _ headers: [ResponseHeader]? = nil) {
        if applied[id]?.fault.kind == .cut { return fail(id) }
        connection.send("network.continueResponse") { writer in
            writer.member("request", id)
            if let headers { writer.member("headers", headers) }
        }
    }

    private func proceed(_ id: String) { connection.send("network.continueRequest") { $0.member("request", id) } }

    func fail(_ id: String) { connection.send("network.failRequest") { $0.member("request", id) } }

    func respond(to id: String, _ status: Int, _ html: String, _ headers: [ResponseHeader] = []) {
        connection.send("network.provideResponse") { writer in
            writer.member("request", id)
            writer.member("statusCode", status)
            writer.member("reasonPhrase", status == 200 ? "OK" : "Fault")
            let type = ResponseHeader(name: "Content-Type", value: "text/html; charset=utf-8")
            writer.member("headers", [type] + headers)
            writer.member("body", LocalValue.text(html))
        }
    }
}

extension RequestFault {
    /// Firefox's name of the error that the fault stands for.
    var error: String? {
        switch fault.kind {
        case .offline: "NS_ERROR_OFFLINE"
        case .cut: "NS_ERROR_NET_RESET"
        case .slow, .status, .missing: nil
        }
    }
}

/// A header of a response (`network.Header`).
struct ResponseHeader: JSONWritable {
    let name: String
    let value: String

    /// Forbids the scripts of the page.
    static let withoutScripts = ResponseHeader(name: "Content-Security-Policy", value: "script-src 'none'")

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", name)
            writer.member("value", LocalValue.text(value))
        }
    }
}
