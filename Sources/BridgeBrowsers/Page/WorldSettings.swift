package import BridgeProtocol

extension WebViewSettings {
    /// The worlds that have handlers or user scripts, in a stable order; nil is the page's own.
    package var worlds: [String?] {
        let named = Set(handlers.compactMap(\.world)).union((userScripts ?? []).compactMap(\.world))
        return [nil] + named.sorted()
    }
}

/// The settings that `web/driven.js` gets for one world.
struct WorldSettings: JSONWritable {
    let settings: WebViewSettings
    let world: String?

    /// The handlers and the user scripts of the world, as JSON.
    var texts: (handlers: String, userScripts: String) {
        (handlers.text, userScripts.text)
    }

    private var handlers: [HandlerInfo] { settings.handlers.filter { $0.world == world } }
    private var userScripts: [UserScriptInfo] { (settings.userScripts ?? []).filter { $0.world == world } }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            if let world { writer.member("world", world) } else { writer.member("world", JSONValue.null) }
            writer.member("handlers", handlers)
            writer.member("userScripts", userScripts)
            guard world == nil else { return }
            writer.member("secret", DrivenScript.secret)
            if !settings.interfaces.isEmpty { writer.member("interfaces", settings.interfaces) }
        }
    }
}
