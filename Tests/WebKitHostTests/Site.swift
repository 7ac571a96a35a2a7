import Foundation
import Synchronization
import TestSupport

/// A web site of the test. The path decides about the type: `.txt` is plain text, everything else HTML.
final class Site: Sendable {
    let url: String
    private let socket: ListeningSocket
    private let heads = Mutex<[String]>([])

    /// - Parameter pages: the contents by path. A path instead of HTML is where the page redirects to.
    init(_ pages: [String: String]) throws {
        let socket = try ListeningSocket()
        self.socket = socket
        url = "http://127.0.0.1:\(socket.port)/"
        socket.accept { [weak self] connection in
            guard let head = connection.readHead() else { return }
            self?.heads.withLock { $0.append(head) }
            let words = head.split(separator: " ")
            let path = words.count > 1 ? String(words[1]) : "/"
            let body = pages[path] ?? "<!doctype html><title>Not found</title>"
            let isRedirect = body.hasPrefix("/")
            let lines = [
                "HTTP/1.1 \(pages[path] == nil ? 404 : isRedirect ? 302 : 200) -",
                "Location: \(isRedirect ? body : path)",
                "Content-Type: \(path.hasSuffix(".txt") ? "text/plain" : "text/html"); charset=utf-8",
                "Set-Cookie: session=secret; HttpOnly",
                "Content-Length: \(body.utf8.count)", "Connection: close", "", body,
            ]
            connection.write(Array(lines.joined(separator: "\r\n").utf8))
        }
    }

    func url(_ path: String) -> String { url + path.dropFirst() }

    /// The heads of all requests that have arrived.
    var requests: [String] { heads.withLock { $0 } }
}

extension AcceptedSocket {
    fileprivate borrowing func readHead() -> String? {
        var bytes: [UInt8] = []
        while let more = read() {
            bytes += more
            let text = String(decoding: bytes, as: UTF8.self)
            if text.contains("\r\n\r\n") { return text }
        }
        return nil
    }
}
