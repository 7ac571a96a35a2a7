import BridgeBrowsers
import BridgeProtocol
import CWebKitGTK

/// Tells the daemon which requests a web view makes, and how they end.
@MainActor final class HostedRequests {
    private weak var host: HostedWebView?
    /// The faults of documents that begin to load later, by URL.
    private var slowed: [String: String] = [:]

    init(for host: HostedWebView) { self.host = host }

    func connect(_ view: GObject<WebKitWebView>, _ data: UnsafeMutableRawPointer) {
        bridged_connect_resource(
            view.pointer, "resource-load-started",
            { _, resource, request, data in
                guard let data, let resource, let request else { return }
                HostedWebView.of(data).requests.began(resource, request)
            }, data)
    }

    private func began(
        _ resource: UnsafeMutablePointer<WebKitWebResource>, _ request: UnsafeMutablePointer<WebKitURIRequest>
    ) {
        guard let host, let url = webkit_uri_request_get_uri(request).map({ String(cString: $0) }),
            url.hasPrefix("http") || host.webView.settings.schemes.contains(url.prefix { $0 != ":" }.lowercased())
        else {
            return
        }
        let isDocument = webkit_web_view_get_main_resource(host.view.pointer) == resource
        HostedRequest(
            resource, url: url,
            method: webkit_uri_request_get_http_method(request).map { String(cString: $0) } ?? "GET",
            type: isDocument ? "document" : nil, fault: slowed.removeValue(forKey: url)
        ) { [weak self] in self?.tell($0) }.listen()
    }

    /// Tells the daemon how a request has ended.
    func tell(_ request: FinishedRequest) {
        host?.webView.tell(request, from: host?.document?.page)
    }

    /// A document begins to load later.
    func slow(_ url: String, fault: String) {
        if let host, slowed.count < host.webView.limits.notes { slowed[url] = fault }
    }
}

/// A request under way. WebKit keeps the resource until it has ended, and the signals keep this object as long.
@MainActor private final class HostedRequest {
    private let resource: GObject<WebKitWebResource>
    private var url: String
    private var method: String
    private let type: String?
    private let fault: String?
    private var began = ContinuousClock.now
    private let tell: @MainActor (FinishedRequest) -> Void
    private var failure: String?

    init(
        _ resource: UnsafeMutablePointer<WebKitWebResource>, url: String, method: String, type: String?, fault: String?,
        tell: @escaping @MainActor (FinishedRequest) -> Void
    ) {
        self.resource = GObject(resource)
        self.url = url
        self.method = method
        self.type = type
        self.fault = fault
        self.tell = tell
    }

    private static func of(_ data: UnsafeMutableRawPointer) -> HostedRequest {
        Unmanaged<HostedRequest>.fromOpaque(data).takeUnretainedValue()
    }

    /// Keeps this object until the request has ended.
    func listen() {
        let data = Unmanaged.passRetained(self).toOpaque()
        bridged_connect_resource_sent(
            resource.pointer, "sent-request",
            { _, request, redirected, data in
                guard let data, let request, let redirected else { return }
                HostedRequest.of(data).redirected(to: request, redirected)
            }, data)
        bridged_connect_simple(
            resource.pointer, "finished",
            { _, data in if let data { HostedRequest.of(data).end() } }, data)
        bridged_connect_resource_failed(
            resource.pointer, "failed",
            { _, error, data in
                guard let data else { return }
                HostedRequest.of(data).failure = error?.pointee.message.map { String(cString: $0) } ?? ""
            }, data)
    }

    private func redirected(
        to request: UnsafeMutablePointer<WebKitURIRequest>, _ response: UnsafeMutablePointer<WebKitURIResponse>
    ) {
        report(response)
        url = webkit_uri_request_get_uri(request).map { String(cString: $0) } ?? url
        method = webkit_uri_request_get_http_method(request).map { String(cString: $0) } ?? method
        began = .now
    }

    private func report(_ response: UnsafeMutablePointer<WebKitURIResponse>?) {
        let status = response.map { Int(webkit_uri_response_get_status_code($0)) } ?? 0
        let milliseconds = (ContinuousClock.now - began) / .milliseconds(1)
        tell(
            FinishedRequest(
                url: url, method: method, type: type, status: status == 0 ? nil : status,
                mimeType: response.flatMap { webkit_uri_response_get_mime_type($0) }.map { String(cString: $0) },
                milliseconds: milliseconds, failure: failure, fault: fault))
    }

    /// WebKit also says that a request has finished if it has failed.
    private func end() {
        report(webkit_web_resource_get_response(resource.pointer))
        let data = Unmanaged.passUnretained(self)
        bridged_disconnect(resource.pointer, data.toOpaque())
        data.release()
    }
}
