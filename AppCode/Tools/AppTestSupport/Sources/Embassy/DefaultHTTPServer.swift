public import Foundation

public typealias SWSGI = (
    _ environ: [String: Any],
    _ startResponse: @escaping (_ status: String, _ headers: [(String, String)]) -> Void,
    _ sendBody: @escaping (_ data: Data) -> Void
) -> Void

/// A server for HTTP/1.1 on this machine, whose app is a closure in the form of WSGI.
///
/// It answers requests without a body, and closes the connection after each.
///
/// `@unchecked Sendable`: `queue` runs the app, and the listening socket is locked by `ListeningSocket`.
public final class DefaultHTTPServer: @unchecked Sendable {
    private let port: Int
    private let app: SWSGI
    private let queue = DispatchQueue(label: "Embassy")
    private let socket = ListeningSocket()

    /// - Parameter eventLoop: is not used.
    public init(eventLoop: any EventLoop, interface: String = "::1", port: Int = 8080, app: @escaping SWSGI) {
        self.port = port
        self.app = app
    }

    /// - Throws: a `POSIXError` if the port cannot be listened on.
    public func start() throws {
        let connections = try socket.listen(on: port)
        Thread.detachNewThread { [self] in
            while let connection = connections() {
                queue.async { self.serve(connection) }
            }
        }
    }

    public func stop() { socket.close() }
    public func stopAndWait() { socket.close() }

    private func serve(_ connection: Connection) {
        guard let request = connection.readHead() else { return connection.close() }
        let (path, query) = request.pathAndQuery
        let environ: [String: Any] = [
            "REQUEST_METHOD": request.method, "PATH_INFO": path, "QUERY_STRING": query, "SERVER_PORT": "\(port)",
            "SERVER_NAME": "localhost", "SERVER_PROTOCOL": "HTTP/1.1", "SCRIPT_NAME": "",
        ]
        app(
            environ,
            { status, headers in
                let fields = headers.map { "\($0): \($1)\r\n" }.joined()
                connection.write(Data("HTTP/1.1 \(status)\r\n\(fields)Connection: close\r\n\r\n".utf8))
            },
            // An empty piece ends the body.
            { data in data.isEmpty ? connection.close() : connection.write(data) })
    }
}
