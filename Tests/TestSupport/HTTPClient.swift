import BridgeTraffic
import Foundation

/// An HTTP client that sends any headers or bytes that a test wants.
public enum HTTPClient {
    public struct Response: Sendable {
        public let status: Int
        /// The fields by their names in lower case.
        public let fields: [String: String]
        public let body: String
    }

    public static func request(
        _ method: String = "GET", path: String, port: UInt16, host: String? = nil, headers: [String] = [],
        body: String? = nil
    ) async throws -> Response {
        let socket = try send(method, path, port, host, headers, body)
        return try await offThread {
            let reader = FrameReader(socket: socket)
            let head = reader.readHead()
            return Response(
                status: head.status, fields: head.fields, body: method == "HEAD" ? "" : reader.readBody(head))
        }
    }
}

extension HTTPClient {
    /// Sends a request and hangs up after `body` has run, without reading the response.
    @MainActor public static func abandon(
        _ method: String, path: String, port: UInt16, headers: [String], body text: String,
        after body: @MainActor () async throws -> Void
    ) async throws {
        let socket = try send(method, path, port, nil, headers, text)
        try await body()
        socket.shutDown()
    }

    /// Sends a text without changing it.
    /// - Returns: everything that arrives until the daemon hangs up.
    public static func exchange(_ text: String, port: UInt16) async throws -> String {
        try await exchange(Array(text.utf8), port: port)
    }

    /// Sends one request after the other on one connection, each when the last one is answered.
    /// - Returns: the first bytes of each answer.
    public static func exchange(inTurn requests: [String], port: UInt16) async throws -> [String] {
        let socket = try TCPSocket(port: port)
        return try await offThread {
            requests.map { request in
                socket.write(Array(request.utf8))
                return String(decoding: socket.read(upTo: 65_536) ?? [], as: UTF8.self)
            }
        }
    }

    /// Sends bytes without changing them, for content that is not text.
    public static func exchange(_ bytes: [UInt8], port: UInt16) async throws -> String {
        let socket = try TCPSocket(port: port)
        socket.write(bytes)
        return try await offThread {
            var answer: [UInt8] = []
            while let more = socket.read(upTo: 65_536) { answer += more }
            return String(decoding: answer, as: UTF8.self)
        }
    }

    /// Sends a text byte by byte, with a pause between bytes, until the daemon hangs up or all bytes are sent.
    /// - Returns: the answer.
    public static func trickle(_ text: String, every pause: Duration, port: UInt16) async throws -> String {
        let socket = try TCPSocket(port: port)
        return try await offThread {
            for byte in text.utf8 {
                socket.write([byte])
                if let answer = socket.read(within: pause) { return String(decoding: answer, as: UTF8.self) }
            }
            return "all was taken"
        }
    }

    private static func send(
        _ method: String, _ path: String, _ port: UInt16, _ host: String?, _ headers: [String], _ body: String?
    ) throws -> TCPSocket {
        let socket = try TCPSocket(port: port)
        var lines = ["\(method) \(path) HTTP/1.1", "Host: \(host ?? "localhost:\(port)")", "Connection: close"]
        if let body { lines.append("Content-Length: \(body.utf8.count)") }
        socket.write(Array((lines + headers + ["", body ?? ""]).joined(separator: "\r\n").utf8))
        return socket
    }
}

/// A response without an end. A test reads it line by line, or does not read it at all.
public final class HTTPDownload: Sendable {
    public let status: Int
    private let socket: TCPSocket
    private let reader: FrameReader

    public init(path: String, port: UInt16, headers: [String]) async throws {
        let socket = try TCPSocket(port: port, receiveBuffer: 4_096)
        socket.write(
            Array(
                // With this version the body comes as it is, without chunks.
                (["GET \(path) HTTP/1.0", "Host: localhost:\(port)"] + headers + ["", ""]).joined(separator: "\r\n")
                    .utf8))
        let reader = FrameReader(socket: socket)
        status = try await offThread { reader.readHead().status }
        self.socket = socket
        self.reader = reader
    }

    deinit { socket.shutDown() }

    /// The next line, or nil at the end. Only one task may call it at a time.
    public func nextLine() async throws -> String? {
        try await offThread { [reader] in reader.readLine() }
    }

    /// Closes the connection.
    public func drop() { socket.shutDown() }
}
