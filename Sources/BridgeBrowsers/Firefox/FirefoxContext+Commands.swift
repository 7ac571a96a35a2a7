import BridgeProtocol
import Foundation

extension FirefoxContext: PageCommands {
    /// Loads HTML as the document of its base URL, so that it has that URL's origin. Without one its origin is opaque, and
    /// native code sees about:blank.
    func loadHTML(_ html: String, baseURL: String?) {
        if let baseURL, baseURL.hasPrefix("http") {
            return window.load(OwnLoad(url: baseURL, html: html))
        }
        let allowed = window.webView?.settings.allowsContentScripts != false
        let html = allowed ? html : FirefoxContext.withoutScripts(html)
        let url = "data:text/html;charset=utf-8;base64,\(Data(html.utf8).base64EncodedString())"
        window.load(OwnLoad(url: url, shownURL: "about:blank"))
    }

    /// Forbids a document its scripts. It has no response whose header could do so. The element stands behind the
    /// document type, so that the page is laid out as before.
    static func withoutScripts(_ html: String) -> String {
        let policy = ResponseHeader.withoutScripts
        let element = "<meta http-equiv=\"\(policy.name)\" content=\"\(policy.value)\">"
        let type = html.prefixMatch(of: /(?i:\s*<!doctype[^>]*>)/)?.range.upperBound ?? html.startIndex
        return "\(html[..<type])\(element)\(html[type...])"
    }

    func pdf() async throws -> String {
        let result = try await connection.call("browsingContext.print") { writer in
            writer.member("context", window.id)
            writer.member("background", true)
        }
        return result["data"]?.string ?? ""
    }

    /// The picture keeps its scale, because Firefox cannot change it.
    func snapshot(rect: [Double]?, width: Double?) async throws -> String {
        let result = try await connection.call("browsingContext.captureScreenshot") { writer in
            writer.member("context", window.id)
            guard let rect else { return }
            writer.member(
                "clip",
                object: { writer in
                    writer.member("type", "box")
                    writer.member("x", rect[0])
                    writer.member("y", rect[1])
                    writer.member("width", rect[2])
                    writer.member("height", rect[3])
                })
        }
        return result["data"]?.string ?? ""
    }

    // MARK: Cookies

    func cookies() async throws -> [JSONValue] {
        try await connection.call("storage.getCookies")["cookies"]?.elements.map { cookie in
            var members: [JSONValue.Member] = ["name", "domain", "path", "secure", "httpOnly"].compactMap { key in
                cookie[key].map { .init(key, JSONValue($0)) }
            }
            let value = cookie["value"]?["value"]?.string ?? ""
            let isText = cookie["value"]?["type"]?.string == "string"
            members.append(.init("value", .string(isText ? value : FirefoxContext.decoded(value))))
            if let expires = cookie["expiry"]?.number { members.append(.init("expires", .number(expires))) }
            return .object(members)
        } ?? []
    }

    /// The text of a value that is not UTF-8, which Firefox writes in base64.
    private static func decoded(_ base64: String) -> String {
        String(decoding: Data(base64Encoded: base64) ?? Data(), as: UTF8.self)
    }

    func setCookie(_ cookie: JSON) async throws {
        try await connection.call("storage.setCookie") { writer in
            writer.member(
                "cookie",
                object: { writer in
                    for key in ["name", "domain", "path", "secure", "httpOnly"] {
                        if let value = cookie[key] { writer.member(named: key, value) }
                    }
                    writer.member("value", LocalValue.text(cookie["value"]?.string ?? ""))
                    if let expires = cookie["expires"]?.number, abs(expires) < 1e12 {
                        writer.member("expiry", Int(expires))
                    }
                })
        }
    }

    func deleteCookie(_ cookie: JSON) async throws {
        try await connection.call("storage.deleteCookies") { writer in
            writer.member(
                "filter",
                object: { writer in
                    for key in ["name", "domain", "path"] {
                        if let value = cookie[key] { writer.member(named: key, value) }
                    }
                })
        }
    }
}
