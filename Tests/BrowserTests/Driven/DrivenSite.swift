import Foundation
import Synchronization
import TestSupport

/// The web site of a test with driven browsers: pages without a script tag for bridged.
final class DrivenSite: Sendable {
    struct Page: Sendable {
        var html: String
        /// The page's Content-Security-Policy.
        var policy: String?
        var type = "text/html; charset=utf-8"
        /// How long the server takes to answer.
        var delay: TimeInterval = 0
        var status = 200
        /// More fields of the response.
        var fields: [String] = []
        /// Whether the site responds at all.
        var isAnswered = true
    }

    let url: String
    private let socket: ListeningSocket
    private let heads = Mutex<[String]>([])

    /// - Parameter port: 0 picks a free one.
    init(_ pages: [String: Page], port: UInt16 = 0) throws {
        let socket = try ListeningSocket(port: port)
        self.socket = socket
        url = "http://127.0.0.1:\(socket.port)"
        socket.accept { [weak self] connection in
            var head = ""
            while !head.contains("\r\n\r\n"), let more = connection.read() {
                head += String(decoding: more, as: UTF8.self)
            }
            // Browsers open connections ahead of requests, and close some of them unused.
            guard !head.isEmpty else { return }
            self?.heads.withLock { $0.append(head) }
            let words = head.split(separator: " ")
            let page = pages[words.count > 1 ? String(words[1]) : ""]
            if page?.isAnswered == false {
                while connection.read() != nil {}
                return
            }
            var lines = ["HTTP/1.1 \(page?.status ?? 404) -", "Content-Type: \(page?.type ?? "text/html")"]
            lines += page?.fields ?? []
            if let policy = page?.policy { lines.append("Content-Security-Policy: \(policy)") }
            if let page, page.delay > 0 { Thread.sleep(forTimeInterval: page.delay) }
            let body = page?.html ?? "<!doctype html><title>Not found</title>"
            lines += ["Content-Length: \(body.utf8.count)", "Connection: close", "", body]
            connection.write(Array(lines.joined(separator: "\r\n").utf8))
        }
    }

    /// The heads of all requests that have arrived.
    var requests: [String] { heads.withLock { $0 } }
}
