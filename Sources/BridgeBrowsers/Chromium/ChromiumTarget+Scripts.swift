import BridgeProtocol
import Foundation

/// `web/driven.js` in the documents of a window, and what it sends.
extension ChromiumTarget {
    /// The empty document of a new window exists already. As in WebKit, it has handlers, but runs no user scripts.
    func prepareEmptyDocument(
        _ settings: WebViewSettings, completion: BrowserCommands.Completion? = nil
    ) {
        var settings = settings
        settings.userScripts = []
        let source = source(settings, world: nil)
        send("Runtime.evaluate", { $0.member("expression", source) }, completion: completion)
    }

    /// Calls `use` with the page of the main frame. A window whose first load has failed shows its empty document.
    func withMainPage(_ use: @escaping (DrivenPage?) -> Void) {
        guard mainPage == nil, let webView else { return use(mainPage) }
        prepareEmptyDocument(webView.settings) { [weak self] _ in use(self?.mainPage) }
    }

    /// Installs the script for new documents in all worlds, instead of the one that is installed.
    func install(_ settings: WebViewSettings) {
        guard settings != installed else { return }
        if let installed, installed.faults != settings.faults { pauseRequests() }
        if let installed, installed.answersDialogs != settings.answersDialogs { interceptOpenPanels(asksAboutDialogs) }
        installed = settings
        installCount += 1
        // The old scripts go last: a document without any could find the functions. Only the first one has an effect.
        let (old, number) = (scriptIDs, installCount)
        scriptIDs = []
        defer { for id in old { removeScript(id) } }
        for world in settings.worlds {
            send(
                "Page.addScriptToEvaluateOnNewDocument",
                { writer in
                    writer.member("source", source(settings, world: world))
                    if let world { writer.member("worldName", world) }
                },
                completion: { [weak self] result in
                    guard let self, case .success(let json) = result, let id = json["identifier"]?.string else {
                        return
                    }
                    if number == installCount { scriptIDs.append(id) } else { removeScript(id) }
                })
        }
    }

    private func removeScript(_ id: String) {
        send("Page.removeScriptToEvaluateOnNewDocument") { $0.member("identifier", id) }
    }

    /// Runs the script in a world of a document that has begun already.
    func startDriver(inWorld name: String, _ settings: WebViewSettings, context: Int) {
        let source = source(settings, world: name)
        send("Runtime.evaluate") { writer in
            writer.member("expression", source)
            writer.member("contextId", context)
        }
    }

    /// The script for one world. It does nothing in a document that has it already.
    func source(_ settings: WebViewSettings, world: String?) -> String {
        let name = binding(of: world)
        // Chromium offers the function again when a document comes back from its cache.
        let script = browser.script.source(
            settings, world: world, send: "send",
            expose: "(bridge) => { delete globalThis.\(name); debug(\"\(name)\", bridge) }")
        let reporter = world == nil ? "{ const act = (text) => send(`action ${text}`); \(PageAction.reporter) }" : ""
        let program =
            "{ const send = globalThis.\(name), { debug } = console; if (send) { delete globalThis.\(name); \(script)\n\(reporter) } }"
        return "\(program)\n\(ChromiumTarget.ownName)"
    }

    /// The name of the driver's own programs, which `web/bridge/stacks.js` leaves out of stacks.
    static let ownName = "//# sourceURL=bridged:driven.js"

    /// Returns the name of the function that takes text for the driver in a world, which no other world has.
    private func binding(of world: String?) -> String {
        if let name = bindings[world ?? ""] { return name }
        let name = ChromiumTarget.randomName()
        bindings[world ?? ""] = name
        send("Runtime.addBinding") { writer in
            writer.member("name", name)
            writer.member("executionContextName", world ?? "")
        }
        return name
    }

    static func randomName() -> String { "bridged" + UUID().uuidString.replacing("-", with: "") }

    func bindingCalled(_ params: JSON) {
        guard let world = worlds[params["executionContextId"]?.wholeNumber ?? 0],
            let payload = params["payload"]?.string, params["name"]?.string == bindings[world.name ?? ""]
        else { return }
        let prefix = "action "
        guard payload.hasPrefix(prefix) else { return world.receive(payload) }
        if let action = PageAction(String(payload.dropFirst(prefix.count))) { note(action) }
    }

    /// `web/driven.js` hands over its object as an argument of `console.debug`, which leaves no trace in the page.
    func consoleCalled(_ params: JSON) {
        // A page that knows the name comes too late: the script runs before any of the page.
        guard let world = worlds[params["executionContextId"]?.wholeNumber ?? 0], world.bridge == nil,
            let arguments = params["args"]?.elements, arguments.count == 2,
            let name = arguments[0]["value"]?.string, name == bindings[world.name ?? ""],
            let bridge = arguments[1]["objectId"]?.string
        else { return }
        world.setBridge(bridge)
    }
}
