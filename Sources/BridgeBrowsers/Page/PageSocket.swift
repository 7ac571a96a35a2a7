import BridgeClient
package import BridgeProtocol
package import Foundation

/// The daemon to which driven pages connect.
package struct DaemonLink: Sendable {
    package let host: String
    package let port: Int
    /// The token of tools. A client without it may not drive pages.
    package let token: String

    package init(host: String, port: Int, token: String) {
        self.host = host
        self.port = port
        self.token = token
    }

    /// - Returns: nil if the URL is not one of http. A driver has no TLS.
    package init?(_ endpoint: DaemonEndpoint) {
        guard let url = URLComponents(string: endpoint.url), url.scheme == "http", let host = url.host else {
            return nil
        }
        self.init(host: host, port: url.port ?? 80, token: endpoint.token)
    }

    /// `http://HOST:PORT`
    package var origin: String {
        "http://\(host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host):\(port)"
    }

    /// - Returns: nil if the host is none.
    package func url(_ path: String, _ query: [(name: String, value: String)]) -> URL? {
        guard var components = URLComponents(string: origin) else { return nil }
        components.path = path
        components.queryItems = query.map { URLQueryItem(name: $0.name, value: $0.value) }
        // A + in a query means a space.
        components.percentEncodedQuery = components.percentEncodedQuery?.replacing("+", with: "%2B")
        return components.url
    }
}

/// The WebSocket of a page to the daemon. It sends what it gets at once as one batch.
@MainActor final class PageSocket {
    private let socket: MainQueueSocket

    static func connect(
        to link: DaemonLink, onMessage: @escaping (JSON) -> Void, onClose: @escaping () -> Void
    ) async throws -> PageSocket {
        let headers = ["Sec-WebSocket-Protocol: bridge.page.v1, bridge.token.\(link.token)"]
        return PageSocket(
            try await MainQueueSocket.connect(
                { try WebSocket(host: link.host, port: link.port, path: "/page", headers: headers) },
                onMessage: { bytes in if let json = try? JSON.parse(bytes) { onMessage(json) } },
                onClose: onClose))
    }

    private init(_ socket: MainQueueSocket) { self.socket = socket }

    /// Sends frames as one message, or as several if there are more than a batch may have.
    /// - Parameter batchBytes: how many bytes a batch of several frames may have. A batch that has no more bytes than
    ///   the daemon takes values in a message never has too many values.
    func send(_ frames: [[UInt8]], batchBytes: Int) {
        let batchBytes = min(batchBytes, PageSocket.batchBytes)
        guard !socket.isClosed, !frames.isEmpty else { return }
        var batch: [UInt8] = []
        var count = 0
        for frame in frames {
            if count == PageSocket.batchLimit || batch.count + frame.count + 3 > batchBytes, count > 0 {
                queue(batch, count)
                (batch, count) = ([], 0)
            }
            if count > 0 { batch.append(UInt8(ascii: ",")) }
            batch += frame
            count += 1
        }
        queue(batch, count)
        socket.write()
    }

    /// The daemon takes 1,024 messages in a batch.
    private static let batchLimit = 1_000
    private static let batchBytes = 64 << 10

    private func queue(_ batch: [UInt8], _ count: Int) {
        socket.queue(count == 1 ? batch : [UInt8(ascii: "[")] + batch + [UInt8(ascii: "]")])
    }

    /// Says that the document has left, and closes the connection.
    func leave() { socket.leave() }
}
