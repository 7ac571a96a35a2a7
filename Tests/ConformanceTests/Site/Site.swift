import BridgeTraffic
import Foundation
import TestSupport

/// The web site of one case. It has its own port and two origins.
final class Site: Sendable {
    let placeholders: Placeholders
    private let socket: ListeningSocket

    /// - Parameters:
    ///   - files: the files by path. The site replaces the placeholders in them.
    ///   - admission: the changes that each HTML document needs for the daemon; nil for a driven browser.
    init(files: [String: SiteFile], admission: Admission?) throws {
        let socket = try ListeningSocket()
        self.socket = socket
        let placeholders = Placeholders(port: socket.port)
        self.placeholders = placeholders
        let served = files.mapValues { file in
            var file = file
            file.body = placeholders.fill(file.body)
            file.headers = file.headers.mapValues(placeholders.fill)
            return admission.map(file.admitting) ?? file
        }
        let notFound = SiteFile(body: "<!doctype html><title>404</title>not found", type: "text/html")
        let missing = admission.map(notFound.admitting) ?? notFound
        socket.accept { connection in
            guard let target = connection.readRequest() else { return }
            let path = String(target.prefix { $0 != "?" })
            connection.write(Site.response(served[path], orElse: missing))
        }
    }

    /// `http://127.0.0.1:PORT`
    var origin: String { placeholders.origin }

    private static func response(_ file: SiteFile?, orElse missing: SiteFile) -> [UInt8] {
        let found = file ?? missing
        let status = file?.status ?? 404
        Thread.sleep(forTimeInterval: Double(found.delayMs) / 1000)
        let body = Array(found.body.utf8)
        var head = [
            "HTTP/1.1 \(status) -", "Content-Type: \(found.type)", "Content-Length: \(body.count)", "Connection: close",
        ]
        head += found.headers.map { "\($0.key): \($0.value)" }
        return Array((head + ["", ""]).joined(separator: "\r\n").utf8) + body
    }
}

/// Replaces the placeholders for the site's origins in scripts and files, and restores them in outcomes.
struct Placeholders: Sendable {
    /// `{ORIGIN}`
    let origin: String
    /// `{ORIGIN2}`: the same server as another site.
    let otherOrigin: String

    init(port: UInt16) {
        origin = "http://127.0.0.1:\(port)"
        otherOrigin = "http://localhost:\(port)"
    }

    /// Returns the text with placeholders instead of the site's origins.
    func unfill(_ text: String) -> String {
        text.replacingOccurrences(of: origin, with: "{ORIGIN}").replacingOccurrences(of: otherOrigin, with: "{ORIGIN2}")
    }

    func fill(_ text: String) -> String {
        guard text.contains("{ORIGIN") else { return text }
        return text.replacingOccurrences(of: "{ORIGIN}", with: origin)
            .replacingOccurrences(of: "{ORIGIN2}", with: otherOrigin)
    }
}
