import BridgeProtocol
import BridgeTraffic

/// An HTTP request with its whole body.
struct HTTPRequest: Sendable {
    enum Method: String, Sendable {
        case get = "GET", head = "HEAD", post = "POST", options = "OPTIONS", other = "OTHER"
    }

    let method: Method
    /// The path, percent-decoded, without the query.
    let path: String
    /// The parts of the query between `&`, percent-decoded: `["follow=1"]`.
    let query: [String]
    let headers: RequestHeaders
    var body: [UInt8] = []

    /// The value of the first `name=value` in the query.
    func value(of name: String) -> String? {
        query.first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
    }
}

/// The header fields that the daemon looks at. An absent field is nil.
struct RequestHeaders: Sendable {
    var host: String?
    var origin: String?
    var userAgent: String?
    var contentType: String?
    var contentLength: String?
    var authorization: String?
    var subprotocols: String?
    var transferEncoding: String?
    var webSocketVersion: String?
    var referer: String?
    var accept: String?
    var ifNoneMatch: String?
    /// `Sec-Fetch-Site`: how the page that makes the request is related to the daemon's site
    /// (https://www.w3.org/TR/fetch-metadata/).
    var fetchSite: String?
    /// `Sec-Fetch-Mode`: the mode of the request, such as `navigate`.
    var fetchMode: String?
}

struct HTTPStatus: Sendable, Equatable {
    let code: Int
    let reason: String

    static let ok = HTTPStatus(code: 200, reason: "OK")
    static let created = HTTPStatus(code: 201, reason: "Created")
    static let accepted = HTTPStatus(code: 202, reason: "Accepted")
    static let noContent = HTTPStatus(code: 204, reason: "No Content")
    static let found = HTTPStatus(code: 302, reason: "Found")
    static let notModified = HTTPStatus(code: 304, reason: "Not Modified")
    static let badRequest = HTTPStatus(code: 400, reason: "Bad Request")
    static let unauthorized = HTTPStatus(code: 401, reason: "Unauthorized")
    static let forbidden = HTTPStatus(code: 403, reason: "Forbidden")
    static let notFound = HTTPStatus(code: 404, reason: "Not Found")
    static let methodNotAllowed = HTTPStatus(code: 405, reason: "Method Not Allowed")
    static let requestTimeout = HTTPStatus(code: 408, reason: "Request Timeout")
    static let lengthRequired = HTTPStatus(code: 411, reason: "Length Required")
    static let contentTooLarge = HTTPStatus(code: 413, reason: "Content Too Large")
    static let unsupportedMediaType = HTTPStatus(code: 415, reason: "Unsupported Media Type")
    static let upgradeRequired = HTTPStatus(code: 426, reason: "Upgrade Required")
    static let serviceUnavailable = HTTPStatus(code: 503, reason: "Service Unavailable")
}

/// An HTTP response with its whole body.
struct HTTPResponse: Sendable {
    var status: HTTPStatus = .ok
    var contentType = "text/plain; charset=utf-8"
    /// The fields in addition to `Content-Type`, `Content-Length` and those that every response has.
    var fields: [(name: String, value: String)] = []
    /// The `Content-Security-Policy`. No page may frame a response, not even the daemon's own.
    var policy = "frame-ancestors 'none'"
    var body: [UInt8] = []

    static func text(_ text: String, status: HTTPStatus = .ok) -> HTTPResponse {
        HTTPResponse(status: status, body: Array((text + "\n").utf8))
    }

    static func refusal(_ refusal: Refusal) -> HTTPResponse {
        guard refusal.code != .navigationNotAllowed else { return askingWhetherToGoOn(refusal) }
        var response = HTTPResponse.text("\(refusal.text)\n\(refusal.hint)", status: refusal.status)
        // RFC 9110, section 15.5.2
        if refusal.status == .unauthorized { response.fields = [("WWW-Authenticate", "Bearer")] }
        // RFC 6455, section 4.4
        if refusal.status == .upgradeRequired { response.fields = [("Sec-WebSocket-Version", "13")] }
        return response
    }

    /// A page with a link to the same address. If the user follows it, the navigation begins on the daemon's own page.
    private static func askingWhetherToGoOn(_ refusal: Refusal) -> HTTPResponse {
        let html = """
            <!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>bridged</title>
            <p>Another site has led here. If that is what you want, <a href="">go on</a>.
            """
        return .html(html, status: refusal.status)
    }

    /// A document that the browser must not cache.
    static func html(
        _ html: String, status: HTTPStatus = .ok, fields: [(name: String, value: String)] = []
    ) -> HTTPResponse {
        HTTPResponse(
            status: status, contentType: "text/html; charset=utf-8", fields: [("Cache-Control", "no-store")] + fields,
            body: Array(html.utf8))
    }

    static func json(_ body: some JSONWritable, status: HTTPStatus = .ok) -> HTTPResponse {
        var writer = JSONWriter()
        body.write(to: &writer)
        return HTTPResponse(status: status, contentType: "application/json", body: writer.bytes)
    }

    /// A JSON-RPC error response with a null id, for a call whose id is unknown.
    static func error(_ error: RPCError, status: HTTPStatus) -> HTTPResponse {
        var writer = JSONWriter()
        writer.error(id: .null, error)
        return HTTPResponse(status: status, contentType: "application/json", body: writer.bytes)
    }

    /// The bytes of the response (RFC 9112), after `headroom` bytes that the transport may overwrite.
    func serialized(headroom: Int, withBody: Bool, closes: Bool) -> [UInt8] {
        // A 304 has no body, and its Content-Length would have to be that of the 200 response (RFC 9110, section 8.6).
        let length = status == .notModified ? [] : [(name: "Content-Length", value: String(body.count))]
        return head(headroom: headroom, length, closes: closes) + (withBody ? body : [])
    }

    /// The bytes of the header of a response whose body consists of chunks, or ends with the connection.
    func serializedHead(headroom: Int, isChunked: Bool) -> [UInt8] {
        head(headroom: headroom, isChunked ? [(name: "Transfer-Encoding", value: "chunked")] : [], closes: true)
    }

    private func head(headroom: Int, _ length: [(name: String, value: String)], closes: Bool) -> [UInt8] {
        var head = "HTTP/1.1 \(status.code) \(status.reason)\r\nContent-Type: \(contentType)\r\n"
        head += "X-Content-Type-Options: nosniff\r\n"
        head += "Content-Security-Policy: \(policy)\r\n"
        for field in length + fields { head += "\(field.name): \(field.value)\r\n" }
        if closes { head += "Connection: close\r\n" }
        return [UInt8](repeating: 0, count: headroom) + Array((head + "\r\n").utf8)
    }
}
