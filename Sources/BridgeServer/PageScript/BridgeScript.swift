import BridgeProtocol
import Dispatch
import WebFiles

/// `/bridge.js`: `web/bridge.js` with its parts, and with this daemon's settings inlined, because the handlers' names must
/// stand before the page's next script runs.
struct BridgeScript {
    /// Where the settings go. `null` lets the file say what is wrong where it is loaded from elsewhere.
    private static let marker = "/* bridged:settings */"

    /// WebKit's classes, which pages see.
    private static let published: Set = ["WebKitNamespace", "UserMessageHandlersNamespace", "UserMessageHandler"]

    /// Parts that few pages need.
    private static let options: Set = ["content-scripts", "interfaces"]

    /// What is served, but for the settings.
    struct Program {
        static let bare = Program(withOptions: false)
        static let whole = Program(withOptions: true)

        let text: String
        fileprivate let aroundSettings: [[UInt8]]

        private init(withOptions: Bool) {
            text = pack((try? assemble(withOptions: withOptions)) ?? "")
            aroundSettings = text.split(separator: marker + "null").map { Array($0.utf8) }
        }
    }

    init() throws(MissingWebFile) {
        guard try BridgeScript.readFrame().count(where: { $0.hasSuffix(BridgeScript.marker + " null") }) == 1 else {
            throw MissingWebFile(path: "the place for settings in web/bridge.js")
        }
        // A part that is missing is told now.
        _ = try BridgeScript.assemble(withOptions: true)
        // Packing takes some milliseconds, which the start need not wait for.
        DispatchQueue.global().async { _ = Program.bare }
    }

    /// The same program with less to load: no comments, hardly any white space, and short names. Every page loads it.
    static func pack(_ source: String) -> String {
        var tokens = ScriptNames.shorten(ScriptTokenizer.tokens(of: source), keeping: published)
        // The same, where no constant is assigned to; of the parts, the engine that runs the tests sees to that.
        for index in tokens.indices where tokens[index].isWord("const") { tokens[index].text = "let" }
        return tokens.program
    }

    /// Its lines.
    private static func readFrame() throws(MissingWebFile) -> [String] {
        try WebFiles.read("bridge.js").split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// `  /* bridged:part NAME */` stands for `web/bridge/NAME.js`.
    private static func assemble(withOptions: Bool) throws(MissingWebFile) -> String {
        let marker = "  /* bridged:part "
        var lines: [String] = []
        for line in try readFrame() {
            if line.hasPrefix(marker) {
                let name = String(line.dropFirst(marker.count).prefix { $0 != " " })
                if !withOptions, options.contains(name) { continue }
                lines.append(String(decoding: try WebFiles.read("bridge/\(name).js"), as: UTF8.self))
            } else {
                lines.append(line)
            }
        }
        return lines.joined(separator: "\n")
    }

    /// What is inlined.
    struct Settings {
        /// Where the page reaches the daemon: `ws://localhost:2734/page`, by the request's `Host`, which the access have
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
            body: Array(settings.program.aroundSettings.joined(separator: writer.bytes)))
    }
}

extension BridgeScript.Settings {
    @MainActor fileprivate var program: BridgeScript.Program {
        let webViews: [String?] = webView.map { [$0] } ?? [nil] + hub.namedWebViews
        let needsOptions = webViews.contains {
            !hub.interfaces(of: $0).isEmpty || scope(of: $0).allowedScripts() != .all
        }
        return needsOptions ? .whole : .bare
    }

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
    @MainActor private func scope(of webView: String?) -> WebViewScope { webView.map(hub.scope) ?? hub.defaultScope }

    @MainActor private func write(_ webView: String?, to writer: inout JSONWriter) {
        let scope = scope(of: webView)
        let allowed = scope.allowedScripts()
        writer.member("handlers", hub.handlerInfo(of: webView))
        let interfaces = hub.interfaces(of: webView)
        if !interfaces.isEmpty {
            writer.member(
                "interfaces",
                interfaces.sorted { $0.key < $1.key }.map { InterfaceInfo(name: $0.key, object: $0.value) })
        }
        writer.member("userScripts", hasUserScripts && allowed != .none ? hub.userScripts(of: scope) : [])
        if allowed != .all { writer.member("contentScripts", false) }
        writer.member("userAgent", ifPresent: scope.userAgent(in: userAgent))
    }
}

/// An interface object as its page's script has it.
private struct InterfaceInfo: JSONWritable {
    let name: String
    let methods: [String]

    init(name: String, object: JavascriptInterface) {
        self.name = name
        methods = object.names
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", name)
            writer.member("methods", methods)
        }
    }
}
