import Foundation

/// One HTTP request by hand, so that a test can send any header it likes.
public enum HTTPClient {
    public struct Response: Sendable {
        public let status: Int
        /// By lower-case name.
        public let fields: [String: String]
        public let body: String
    }

    public static func request(
        _ method: String = "GET", path: String, port: UInt16, host: String? = nil, headers: [String] = [],
        body: String? = nil
    ) async throws -> Response {
        let socket = try TCPSocket(port: port)
        var lines = ["\(method) \(path) HTTP/1.1", "Host: \(host ?? "localhost:\(port)")", "Connection: close"]
        if let body { lines.append("Content-Length: \(body.utf8.count)") }
        socket.write(Array((lines + headers + ["", body ?? ""]).joined(separator: "\r\n").utf8))
        return await offThread {
            let reader = FrameReader(socket: socket)
            let head = reader.readHead()
            return Response(
                status: head.status, fields: head.fields, body: method == "HEAD" ? "" : reader.readBody(head))
        }
    }
}
