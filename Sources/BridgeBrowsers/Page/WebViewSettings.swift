package import BridgeProtocol

/// What the daemon says about a web view: its handlers, user scripts and user agent (docs/protocol.md,
/// `GET /web-view`).
package struct WebViewSettings: Sendable, Equatable {
    package struct Handler: Sendable, Equatable {
        package let name: String
        package let replies: Bool
        /// The content world that has the handler; nil for the page's own.
        package let world: String?
    }

    package struct UserScript: Sendable, Equatable {
        package let source: String
        package let atDocumentEnd: Bool
        package let mainFrameOnly: Bool
        /// Regular expressions for the document's URL without its port.
        package let include: [String]
        package let exclude: [String]
        package let world: String?
    }

    /// An object that Android's `addJavascriptInterface` has made.
    package struct Interface: Sendable, Equatable {
        package let name: String
        package let methods: [String]
    }

    package var handlers: [Handler] = []
    package private(set) var interfaces: [Interface] = []
    package var userScripts: [UserScript] = []
    /// The user agent of the web view; nil for the browser's own.
    package private(set) var userAgent: String?
    /// A text to append to the browser's own user agent.
    package private(set) var applicationName: String?
    /// Whether pages may run scripts of their own.
    package private(set) var allowsContentScripts = true
    /// Whether native code answers the dialogs of pages.
    package private(set) var answersDialogs = false
    package private(set) var faults: [RequestFault] = []

    package init() {}

    /// Reads an answer of `GET /web-view`.
    package init(_ json: JSON) {
        apply(json)
        userAgent = json["userAgent"]?.string
        applicationName = json["applicationName"]?.string
    }

    /// Applies the params of `handlers.changed`, or the result of `page.attach`.
    mutating func apply(_ json: JSON) {
        if let list = json["handlers"] {
            handlers = list.elements.map {
                Handler(
                    name: $0["name"]?.string ?? "", replies: $0["replies"]?.bool ?? false, world: $0["world"]?.string)
            }
        }
        if json["handlers"] != nil {
            interfaces = (json["interfaces"]?.elements ?? []).map {
                Interface(
                    name: $0["name"]?.string ?? "", methods: $0["methods"]?.elements.compactMap(\.string) ?? [])
            }
        }
        if let list = json["userScripts"] { userScripts = list.elements.map(UserScript.init) }
        allowsContentScripts = json["contentScripts"]?.bool ?? true
        answersDialogs = json["dialogs"]?.bool ?? false
        faults = json["faults"]?.elements.compactMap(RequestFault.init) ?? []
    }

    /// The worlds that have handlers or user scripts, in a stable order; nil is the page's own.
    package var worlds: [String?] {
        let named = Set(handlers.compactMap(\.world)).union(userScripts.compactMap(\.world))
        return [nil] + named.sorted()
    }
}

extension WebViewSettings.UserScript {
    fileprivate init(_ json: JSON) {
        source = json["source"]?.string ?? ""
        atDocumentEnd = json["at"]?.string == "end"
        mainFrameOnly = json["mainFrameOnly"]?.bool ?? false
        include = json["include"]?.elements.compactMap(\.string) ?? []
        exclude = json["exclude"]?.elements.compactMap(\.string) ?? []
        world = json["world"]?.string
    }
}

/// The settings that `web/driven.js` gets for one world.
struct WorldSettings: JSONWritable {
    let settings: WebViewSettings
    let world: String?

    /// The handlers and the user scripts of the world, as JSON.
    var texts: (handlers: String, userScripts: String) {
        var handlers = JSONWriter()
        var scripts = JSONWriter()
        settings.handlers.filter { $0.world == world }.write(to: &handlers)
        settings.userScripts.filter { $0.world == world }.write(to: &scripts)
        return (handlers.text, scripts.text)
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            if let world { writer.member("world", world) } else { writer.member("world", JSONValue.null) }
            writer.member("handlers", settings.handlers.filter { $0.world == world })
            writer.member("userScripts", settings.userScripts.filter { $0.world == world })
            guard world == nil else { return }
            writer.member("secret", DrivenScript.secret)
            if !settings.interfaces.isEmpty { writer.member("interfaces", settings.interfaces) }
        }
    }
}

extension WebViewSettings.Interface: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", name)
            writer.member("methods", methods)
        }
    }
}

extension WebViewSettings.Handler: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", name)
            writer.member("replies", replies)
        }
    }
}

extension WebViewSettings.UserScript: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("source", source)
            writer.member("at", atDocumentEnd ? "end" : "start")
            writer.member("mainFrameOnly", mainFrameOnly)
            if !include.isEmpty { writer.member("include", include) }
            if !exclude.isEmpty { writer.member("exclude", exclude) }
        }
    }
}
