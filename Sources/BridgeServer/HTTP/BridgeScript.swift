import BridgeProtocol
import WebFiles

/// `/bridge.js`: `web/bridge.js` with this daemon's settings inlined, because the handlers' names must stand before the page's
/// next script runs.
struct BridgeScript {
    /// Where the settings go. `null` lets the file say what is wrong where it is loaded from elsewhere.
    private static let marker = "/* bridged:settings */ null"

    private let before: [UInt8]
    private let after: [UInt8]

    init() throws(MissingWebFile) {
        let source = String(decoding: try WebFiles.read("bridge.js"), as: UTF8.self)
        let parts = source.components(separatedBy: BridgeScript.marker)
        guard parts.count == 2 else { throw MissingWebFile(path: "the place for settings in web/bridge.js") }
        before = Array(parts[0].utf8)
        after = Array(parts[1].utf8)
    }

    /// - Parameters:
    ///   - host: the request's `Host`, which the doors have checked: it is where the page reaches the daemon.
    ///   - token: the page token, where one is needed.
    func response(host: String, token: String?, handlers: [HandlerInfo]) -> HTTPResponse {
        var settings = JSONWriter(escaping: .html)
        settings.object { writer in
            writer.member("url", "ws://\(host)/page")
            writer.member("handlers", handlers)
            writer.member("token", ifPresent: token)
            writer.member("version", BridgeServer.version)
        }
        return HTTPResponse(
            contentType: "text/javascript; charset=utf-8",
            fields: [
                // Another handler may be there at the next load.
                ("Cache-Control", "no-store"),
                // A page that isolates itself (COEP) may still load it.
                ("Cross-Origin-Resource-Policy", "cross-origin"),
            ],
            body: before + settings.bytes + after)
    }
}
