import BridgeProtocol

/// `web/driven.js` as a preload script of Firefox, in one version for each world of a web view.
///
/// The scripts of the first web view run in all windows, so that a window which a page opens has them in its first
/// document. As soon as there is a second web view, each window has its own.
@MainActor final class FirefoxScripts {
    /// The names of the channels to the driver.
    static let send = "bridged.send"
    static let expose = "bridged.expose"
    static let act = "bridged.act"

    private struct Installed {
        let settings: WebViewSettings
        var ids: [String] = []
    }

    private let script: DrivenScript
    private var installed: [String: Installed] = [:]
    /// Whether each window has its own scripts.
    private(set) var isScoped = false
    /// The installation that began last. One follows the other, so that each knows which scripts it replaces.
    private var installation: Task<Void, Never>?
    /// How many have not ended.
    private var installations = 0

    /// Whether Firefox closes open panels itself, so that native code can choose.
    private let dismissesOpenPanels: Bool

    init(script: DrivenScript, dismissesOpenPanels: Bool) {
        self.script = script
        self.dismissesOpenPanels = dismissesOpenPanels
    }

    /// Installs the scripts for the new documents of a window, instead of those that are installed.
    func install(_ settings: WebViewSettings, for window: String, _ connection: BiDiConnection) async {
        await begin(settings, for: window, connection).value
    }

    /// Begins to install them.
    @discardableResult func begin(
        _ settings: WebViewSettings, for window: String, _ connection: BiDiConnection
    ) -> Task<Void, Never> {
        installations += 1
        let task = Task { [former = installation] in
            await former?.value
            await add(settings, for: window, connection)
            installations -= 1
        }
        installation = task
        return task
    }

    /// Runs a function when all scripts are installed.
    func whenInstalled(_ run: @escaping @MainActor () -> Void) {
        guard installations > 0, let installation else { return run() }
        Task {
            await installation.value
            run()
        }
    }

    private func add(_ settings: WebViewSettings, for window: String, _ connection: BiDiConnection) async {
        guard installed[window]?.settings != settings else { return }
        if !isScoped, let (first, other) = installed.first, first != window {
            isScoped = true
            await replace(other.settings, for: first, connection)
        }
        await replace(settings, for: window, connection)
    }

    private func replace(_ settings: WebViewSettings, for window: String, _ connection: BiDiConnection) async {
        let old = installed[window]?.ids ?? []
        installed[window] = Installed(settings: settings)
        for world in settings.worlds {
            let result = try? await connection.call("script.addPreloadScript") { writer in
                writer.member("functionDeclaration", function(settings, world: world))
                writer.member("arguments", FirefoxScripts.arguments)
                if let world { writer.member("sandbox", world) }
                if isScoped { writer.member("contexts", [window]) }
            }
            if let id = result?["script"]?.string { installed[window]?.ids.append(id) }
        }
        remove(old, connection)
    }

    private func remove(_ ids: [String], _ connection: BiDiConnection) {
        for id in ids { connection.send("script.removePreloadScript") { $0.member("script", id) } }
    }

    /// Removes the scripts of a window that was closed. Without this, Firefox would keep them.
    func forget(_ window: String, _ connection: BiDiConnection) {
        guard isScoped, let old = installed.removeValue(forKey: window) else { return }
        remove(old.ids, connection)
    }

    func function(_ settings: WebViewSettings, world: String?) -> String {
        let source = script.source(settings, world: world, send: "send", expose: "expose")
        return """
            (send, expose, act) => {
              if (/^about:(\(FirefoxLoad.errorPages.joined(separator: "|")))/.test(document.documentURI)) return
              \(source)
              \(world == nil ? PageAction.reporter + FirefoxScripts.windowOpener : "")
              \(world == nil && dismissesOpenPanels ? FirefoxScripts.cancelFilter : "")
              //# sourceURL=bridged:driven.js
            }
            """
    }

    /// Opens the windows for links that the user clicks while they hold a key. Those that Firefox opens itself have no opener
    /// whom the driver could ask.
    private static let windowOpener = """

        addEventListener("click", (event) => {
          const link = event.composedPath().find((element) => element.href && /^a(rea)?$/i.test(element.localName))
          if (!link || event.defaultPrevented || !(event.ctrlKey || event.metaKey || event.shiftKey)) return
          event.preventDefault()
          open(link.href, "_blank")
        })
        """

    /// Reports that Firefox has closed an open panel, and hides it from the page. The driver tells the page what native
    /// code has chosen.
    private static let cancelFilter = """
        addEventListener("cancel", (event) => {
          if (!event.isTrusted || event.composedPath()[0].type !== "file") return
          event.stopImmediatePropagation()
          act("panelClosed")
        }, true)
        """

    static let arguments = [
        LocalValue.channel(send, isObject: false), LocalValue.channel(expose, isObject: true),
        LocalValue.channel(act, isObject: false),
    ]
}

/// A value for a function in the page (`script.LocalValue`).
struct LocalValue: JSONWritable {
    private enum Content {
        case text(String)
        case handle(String)
        case value(JSON)
        case channel(String, isObject: Bool)
    }

    private let content: Content

    static func text(_ text: String) -> LocalValue { LocalValue(content: .text(text)) }

    /// - Parameter isObject: whether the driver gets handles of the objects that the page passes.
    static func channel(_ name: String, isObject: Bool) -> LocalValue {
        LocalValue(content: .channel(name, isObject: isObject))
    }

    static func handle(_ handle: String) -> LocalValue { LocalValue(content: .handle(handle)) }

    private init(content: Content) { self.content = content }

    /// The value that Firefox has described.
    init(_ remote: JSON) { content = remote["handle"]?.string.map(Content.handle) ?? .value(remote) }

    func write(to writer: inout JSONWriter) {
        switch content {
        case .value(let value): value.write(to: &writer)
        case .handle(let handle): writer.object { $0.member("handle", handle) }
        case .text(let text):
            writer.object { writer in
                writer.member("type", "string")
                writer.member("value", text)
            }
        case .channel(let name, let isObject):
            writer.object { writer in
                writer.member("type", "channel")
                writer.member(
                    "value",
                    object: { writer in
                        writer.member("channel", name)
                        guard isObject else { return }
                        writer.member("ownership", "root")
                        writer.member("serializationOptions", SerializationOptions())
                    })
            }
        }
    }
}

/// Firefox describes objects by their handles, without their members.
struct SerializationOptions: JSONWritable {
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("maxObjectDepth", 0)
            writer.member("maxDomDepth", 0)
        }
    }
}
