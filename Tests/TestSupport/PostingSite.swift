import BridgeTraffic
import Foundation

/// A web site with one page on its own origin. It answers every path and every method with that page, even POST.
public final class PostingSite: Sendable {
    /// `http://127.0.0.1:PORT/`
    public let url: String
    private let socket: ListeningSocket

    /// - Parameter asked: receives the path and query of each request, on a thread of the site.
    /// - Throws: `POSIXError`.
    public init(_ html: String, asked: @escaping @Sendable (String) -> Void = { _ in }) throws {
        let socket = try ListeningSocket()
        self.socket = socket
        url = "http://127.0.0.1:\(socket.port)/"
        let head = ["HTTP/1.1 200 -", "Content-Type: text/html; charset=utf-8", "Content-Length: \(html.utf8.count)"]
        let response = Array((head + ["Connection: close", "", html]).joined(separator: "\r\n").utf8)
        socket.accept { connection in
            guard let path = connection.readRequest() else { return }
            asked(path)
            connection.write(response)
        }
    }
}

extension AcceptedSocket {
    /// Reads one HTTP request with its body.
    /// - Returns: its path with the query, or nil if no request arrived.
    public borrowing func readRequest() -> String? {
        var bytes: [UInt8] = []
        let end = Data("\r\n\r\n".utf8)
        while let more = read() {
            bytes += more
            guard let head = Data(bytes).range(of: end) else { continue }
            let lines = String(decoding: bytes[..<head.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
            let length = lines.first { $0.lowercased().hasPrefix("content-length:") }
                .flatMap { Int($0.dropFirst("content-length:".count).trimmingCharacters(in: .whitespaces)) }
            while bytes.count < head.upperBound + (length ?? 0), let rest = read() { bytes += rest }
            let words = lines[0].split(separator: " ")
            return words.count > 1 ? String(words[1]) : nil
        }
        return nil
    }
}
