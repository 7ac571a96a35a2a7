import BridgeBrowsers
import BridgeProtocol
import CWebKitGTK
import Foundation

/// The URL schemes for which native code answers, in the windows of one context.
@MainActor final class HostedSchemes {
    /// How many requests may be under way; the others wait.
    private static let connections = 64
    private var registered: Set<String> = []
    private var hosts: [WeakHost] = []
    private let session = GObject(adopting: bridged_session_new(Int32(HostedSchemes.connections)))

    private struct WeakHost { weak var host: HostedWebView? }

    /// Lets WebKit ask here for everything that a window's pages request of these schemes. WebKit registers a scheme for all
    /// windows of a context, and for good.
    func register(_ schemes: [String], for host: HostedWebView) {
        hosts = hosts.filter { $0.host != nil && $0.host !== host } + [WeakHost(host: host)]
        for scheme in schemes where registered.insert(scheme).inserted {
            webkit_web_context_register_uri_scheme(
                host.context.pointer, scheme,
                { request, data in
                    guard let request, let data else { return }
                    MainActor.assumeIsolated {
                        Unmanaged<HostedSchemes>.fromOpaque(data).takeUnretainedValue().requested(request)
                    }
                }, Unmanaged.passRetained(self).toOpaque(),
                { data in if let data { Unmanaged<HostedSchemes>.fromOpaque(data).release() } })
        }
    }

    private func requested(_ request: UnsafeMutablePointer<WebKitURISchemeRequest>) {
        let view = webkit_uri_scheme_request_get_web_view(request)
        guard let host = hosts.lazy.compactMap(\.host).first(where: { $0.view.pointer == view }),
            let scheme = webkit_uri_scheme_request_get_scheme(request).map({ String(cString: $0) }),
            host.webView.settings.schemes.contains(scheme)
        else { return HostedSchemeLoad.fail(request, .unsupportedURL) }
        HostedSchemeLoad(request, in: host, session).begin()
    }
}

/// A request of a page that native code answers. It goes to the daemon by HTTP, so that WebKit reads the body as fast as it
/// wants; the connection closes when the page no longer waits.
@MainActor private final class HostedSchemeLoad {
    /// The largest body of a request, which is sent in base64.
    private static let largestBody = 10 << 20
    /// WebKit's own. It ends when the answer is complete, or the page does not wait for it any more; nil then.
    private var request: UnsafeMutablePointer<WebKitURISchemeRequest>?
    private weak var host: HostedWebView?
    private let session: GObject<SoupSession>
    private let cancellable = GObject(adopting: g_cancellable_new())
    private var answer: GObject<GInputStream>?
    private let url: String

    init(
        _ request: UnsafeMutablePointer<WebKitURISchemeRequest>, in host: HostedWebView, _ session: GObject<SoupSession>
    ) {
        (self.request, self.host, self.session) = (request, host, session)
        url = webkit_uri_scheme_request_get_uri(request).map { String(cString: $0) } ?? ""
    }

    /// Keeps this object until WebKit's request has ended.
    func begin() {
        guard let request else { return }
        bridged_when_gone(
            request,
            { data, _ in
                guard let data else { return }
                MainActor.assumeIsolated { Unmanaged<HostedSchemeLoad>.fromOpaque(data).takeRetainedValue().ended() }
            }, Unmanaged.passRetained(self).toOpaque())
        guard let body = webkit_uri_scheme_request_get_http_body(request) else { return send(nil) }
        GObject(adopting: body).read(HostedSchemeLoad.largestBody + 1, cancellable) { [self] bytes in
            guard let bytes else { return fail("The body of the request could not be read.") }
            guard bytes.count <= HostedSchemeLoad.largestBody else { return refuseBody() }
            send(Data(bytes))
        }
    }

    private func ended() {
        request = nil
        g_cancellable_cancel(cancellable.pointer)
        if let answer = answer.take() { g_input_stream_close_async(answer.pointer, G_PRIORITY_DEFAULT, nil, nil, nil) }
    }

    private func refuseBody() {
        let text =
            "A request was not sent to native code: its body has more than \(HostedSchemeLoad.largestBody) bytes."
        host?.current.page?.report("messageTooBig", "\(text) \(PageText.cut(url, to: 200))")
        fail(text)
    }

    // MARK: To the daemon

    private func send(_ body: Data?) {
        guard let request, let host,
            let address = host.webView.link.url("/web-view/scheme", [("name", host.webView.name)]),
            let message = soup_message_new("POST", address.absoluteString)
        else {
            return fail("The daemon could not be asked.")
        }
        defer { g_object_unref(UnsafeMutableRawPointer(message)) }
        let asked = SchemeRequest(
            url: url, method: webkit_uri_scheme_request_get_http_method(request).map { String(cString: $0) } ?? "GET",
            fields: HostedSchemeLoad.fields(webkit_uri_scheme_request_get_http_headers(request)), body: body)
        let text = Array(asked.text.utf8)
        let bytes = g_bytes_new(text, gsize(text.count))
        soup_message_set_request_body_from_bytes(message, "application/json", bytes)
        g_bytes_unref(bytes)
        soup_message_headers_append(
            soup_message_get_request_headers(message), "Authorization", "Bearer \(host.webView.link.token)")
        soup_session_send_async(
            session.pointer, message, G_PRIORITY_DEFAULT, cancellable.pointer,
            { session, result, data in
                let session = UnsafeMutableRawPointer(session)?.assumingMemoryBound(to: SoupSession.self)
                let status = soup_message_get_status(soup_session_get_async_result_message(session, result))
                let stream = soup_session_send_finish(session, result, nil).map { GObject(adopting: $0) }
                Callback<Reply>.take(data)?.run((Int(status.rawValue), stream))
            }, Callback<Reply> { self.received($0) }.retained())
    }

    private typealias Reply = (status: Int, body: GObject<GInputStream>?)

    private static func fields(_ headers: OpaquePointer?) -> [HeaderField] {
        guard let headers else { return [] }
        var iterator = SoupMessageHeadersIter()
        soup_message_headers_iter_init(&iterator, headers)
        var fields: [HeaderField] = []
        var (name, value): (UnsafePointer<CChar>?, UnsafePointer<CChar>?)
        while soup_message_headers_iter_next(&iterator, &name, &value) != 0 {
            if let name, let value { fields.append(HeaderField(String(cString: name), String(cString: value))) }
        }
        return fields
    }

    // MARK: From the daemon

    private func received(_ reply: Reply) {
        guard request != nil else { return }
        guard reply.status == 200, let body = reply.body else {
            return fail("The daemon did not answer for native code (status \(reply.status)).")
        }
        answer = body
        body.read(SchemeAnswer.lengthBytes, cancellable) { [self] bytes in
            guard let length = bytes.flatMap(SchemeAnswer.length) else { return fail(HostedSchemeLoad.endText) }
            body.read(length, cancellable) { [self] bytes in
                guard let bytes, let json = try? JSON.parse(bytes) else { return fail(HostedSchemeLoad.endText) }
                finish(SchemeAnswer(json), body)
            }
        }
    }

    private static let endText = "The connection to native code ended before its response."

    private func finish(_ answer: SchemeAnswer, _ body: GObject<GInputStream>) {
        guard let request else { return }
        switch answer {
        case .failure(let failure):
            HostedSchemeLoad.fail(request, LoadError(failure.code, failure.text, domain: failure.domain))
        case .response(let response):
            let length = max(-1, response.length ?? -1)
            guard let made = webkit_uri_scheme_response_new(body.pointer, gint64(length)) else {
                return fail("WebKit took no response of native code.")
            }
            let object = GObject(adopting: made)
            if let status = response.status, let code = guint(exactly: status) {
                webkit_uri_scheme_response_set_status(object.pointer, code, nil)
            }
            if let type = response.mimeType {
                let charset = response.charset.map { "; charset=\($0)" } ?? ""
                webkit_uri_scheme_response_set_content_type(object.pointer, type + charset)
            }
            // The response becomes their owner.
            webkit_uri_scheme_response_set_http_headers(object.pointer, HostedSchemeLoad.headers(response.fields))
            webkit_uri_scheme_request_finish_with_response(request, object.pointer)
        }
    }

    private static func headers(_ fields: [HeaderField]) -> OpaquePointer? {
        let headers = soup_message_headers_new(SOUP_MESSAGE_HEADERS_RESPONSE)
        for field in fields where !field.name.isEmpty && (field.name + field.value).allSatisfy({ !$0.isNewline }) {
            soup_message_headers_append(headers, field.name, field.value)
        }
        return headers
    }

    private func fail(_ text: String) { if let request { HostedSchemeLoad.fail(request, LoadError(-1, text)) } }

    static func fail(_ request: UnsafeMutablePointer<WebKitURISchemeRequest>, _ failure: LoadError) {
        let error = failure.makeError()
        webkit_uri_scheme_request_finish_error(request, error)
        g_error_free(error)
    }
}
