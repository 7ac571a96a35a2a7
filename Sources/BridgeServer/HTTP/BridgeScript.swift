import BridgeProtocol
import WebFiles

/// `/bridge.js`: `web/bridge.js` with its parts, and with this daemon's settings inlined, because the handlers' names must
/// stand before the page's next script runs.
struct BridgeScript {
    /// Where the settings go. `null` lets the file say what is wrong where it is loaded from elsewhere.
    private static let marker = "/* bridged:settings */ null"

    private let before: [UInt8]
    private let after: [UInt8]

    init() throws(MissingWebFile) {
        let parts = BridgeScript.compact(try BridgeScript.assemble())
            .components(separatedBy: BridgeScript.marker)
        guard parts.count == 2 else { throw MissingWebFile(path: "the place for settings in web/bridge.js") }
        before = Array(parts[0].utf8)
        after = Array(parts[1].utf8)
    }

    /// `/* bridged:part NAME */` stands for `web/bridge/NAME.js`.
    private static func assemble() throws(MissingWebFile) -> String {
        let marker = "/* bridged:part "
        var lines: [String] = []
        for line in String(decoding: try WebFiles.read("bridge.js"), as: UTF8.self).components(separatedBy: "\n") {
            if let part = line.firstRange(of: marker) {
                let name = line[part.upperBound...].prefix { $0 != " " }
                lines.append(String(decoding: try WebFiles.read("bridge/\(name).js"), as: UTF8.self))
            } else {
                lines.append(line)
            }
        }
        return lines.joined(separator: "\n")
    }

    /// Without lines of comment and without indentation. Every page loads it, and all line breaks stay: the code has no
    /// semicolons.
    static func compact(_ source: String) -> String {
        var isComment = false
        let lines = source.split(separator: "\n").lazy.map { $0.drop { $0 == " " } }.filter { line in
            if line.hasPrefix("/*"), !line.hasPrefix("/* bridged:") { isComment = true }
            defer { if line.contains("*/") { isComment = false } }
            return !isComment && !line.isEmpty && !line.hasPrefix("//")
        }
        return lines.joined(separator: "\n")
    }

    /// What is inlined.
    struct Settings {
        /// Where the page reaches the daemon: `ws://localhost:2734/page`, by the request's `Host`, which the doors have
        /// looked at.
        let url: String
        /// The page token, where one is needed.
        let token: String?
        /// The browser's own.
        let userAgent: String?
        /// The web view that the script is for; nil where the page says that itself.
        let webView: String?
        /// False for the empty document that a web view shows at first.
        let hasUserScripts: Bool
        /// What the page gets if its web view has no scope of its own.
        let hub: Hub
    }

    @MainActor func response(_ settings: Settings) -> HTTPResponse {
        var writer = JSONWriter(escaping: .html)
        writer.object { settings.writeMembers(to: &$0) }
        return HTTPResponse(
            contentType: "text/javascript; charset=utf-8",
            fields: [
                // Another handler may be there at the next load.
                ("Cache-Control", "no-store"),
                // A page that isolates itself (COEP) may still load it.
                ("Cross-Origin-Resource-Policy", "cross-origin"),
            ],
            body: before + writer.bytes + after)
    }
}

extension BridgeScript.Settings {
    @MainActor fileprivate func writeMembers(to writer: inout JSONWriter) {
        writer.member("url", url)
        writer.member("token", ifPresent: token)
        writer.member("version", BridgeServer.version)
        writer.member("webView", ifPresent: webView)
        write(webView, to: &writer)
        let names = hub.namedWebViews
        guard webView == nil, !names.isEmpty else { return }
        writer.member(
            "webViews",
            object: { writer in
                for name in names { writer.member(named: name, object: { write(name, to: &$0) }) }
            })
    }

    /// - Parameter webView: nil for those with nothing of their own.
    @MainActor private func write(_ webView: String?, to writer: inout JSONWriter) {
        let scope = webView.map(hub.scope) ?? hub.defaultScope
        let allowed = scope.allowedScripts()
        writer.member("handlers", hub.handlerInfo(of: webView))
        writer.member("userScripts", hasUserScripts && allowed != .none ? hub.userScripts(of: scope) : [])
        if allowed != .all { writer.member("contentScripts", false) }
        writer.member("userAgent", ifPresent: scope.userAgent(in: userAgent))
    }
}
