import BridgeProtocol
import Foundation

/// `web/driven.js` in the documents of a target of Chromium, and what it sends.
@MainActor final class ChromiumScripts {
    private let session: ChromiumSession
    private let script: DrivenScript
    /// The settings in the installed scripts, and Chromium's names of those scripts.
    private(set) var settings: WebViewSettings?
    private var ids: [String] = []
    private var installCount = 0
    /// The numbers of the scripts that Chromium has not confirmed yet, and what waits for that.
    private var unconfirmed: Set<Int> = []
    private var scriptCount = 0
    private var waiting: [() -> Void] = []
    private var waitCount = 0
    /// How long the window's process may take to confirm scripts. A page in an endless loop keeps it from that.
    var patience = Duration.seconds(5)
    /// The names of the functions that `web/driven.js` takes and removes, by world; "" is the page's own. No page can
    /// guess one.
    private var bindings: [String: String] = [:]

    init(_ session: ChromiumSession, _ script: DrivenScript) { (self.session, self.script) = (session, script) }

    /// The empty document of a new window exists already. As in WebKit, it has handlers, but runs no user scripts.
    func prepareEmptyDocument(_ settings: WebViewSettings, completion: BrowserCommands.Completion? = nil) {
        var settings = settings
        settings.userScripts = []
        let source = source(settings, world: nil)
        session.send("Runtime.evaluate", { $0.member("expression", source) }, completion: completion)
    }

    /// Installs the script for new documents in all worlds, instead of the one that is installed.
    func install(_ settings: WebViewSettings) {
        guard settings != self.settings else { return }
        self.settings = settings
        installCount += 1
        // The old scripts go last: a document without any could find the functions. Only the first one has an effect.
        let (old, number) = (ids, installCount)
        ids = []
        defer { for id in old { remove(id) } }
        for world in settings.worlds {
            scriptCount += 1
            let scriptNumber = scriptCount
            unconfirmed.insert(scriptNumber)
            session.send(
                "Page.addScriptToEvaluateOnNewDocument",
                { writer in
                    writer.member("source", source(settings, world: world))
                    writer.member("worldName", ifPresent: world)
                },
                completion: { [weak self] result in
                    guard let self else { return }
                    if case .success(let json) = result, let id = json["identifier"]?.string {
                        if number == installCount { ids.append(id) } else { remove(id) }
                    }
                    // An answer that comes after `endWaits` ends no later wait.
                    if unconfirmed.remove(scriptNumber) != nil, unconfirmed.isEmpty { endWaits() }
                })
        }
    }

    /// Calls `action` when Chromium has confirmed the scripts for new documents: at once if it has.
    ///
    /// The process of the window's document keeps the scripts. If a page gets another process, as it does with
    /// `Cross-Origin-Opener-Policy`, that one has only those scripts which the former has confirmed until then.
    func whenInstalled(_ action: @escaping () -> Void) {
        guard !unconfirmed.isEmpty else { return action() }
        if waiting.isEmpty { limitWait() }
        waiting.append(action)
    }

    /// Ends the wait that begins now, if nothing else does.
    private func limitWait() {
        waitCount += 1
        Task { [weak self, patience, number = waitCount] in
            try? await Task.sleep(for: patience)
            guard let self, waitCount == number, !waiting.isEmpty else { return }
            endWaits()
        }
    }

    /// Ends the waits for scripts, because they are confirmed, or because the process that would do so has crashed.
    func endWaits() {
        unconfirmed = []
        let actions = waiting
        waiting = []
        for action in actions { action() }
    }

    private func remove(_ id: String) {
        session.send("Page.removeScriptToEvaluateOnNewDocument") { $0.member("identifier", id) }
    }

    /// Runs the script in a world of a document that has begun already.
    func start(inWorld name: String, _ settings: WebViewSettings, context: Int) {
        let source = source(settings, world: name)
        session.send("Runtime.evaluate") { writer in
            writer.member("expression", source)
            writer.member("contextId", context)
        }
    }

    /// The script for one world. It does nothing in a document that has it already.
    private func source(_ settings: WebViewSettings, world: String?) -> String {
        let name = binding(of: world)
        // Chromium offers the function again when a document comes back from its cache.
        let script = script.source(
            settings, world: world, send: "send",
            expose: "(bridge) => { delete globalThis.\(name); debug(\"\(name)\", bridge) }")
        let reporter = world == nil ? "{ const act = (text) => send(`action ${text}`); \(PageAction.reporter) }" : ""
        let program =
            "{ const send = globalThis.\(name), { debug } = console; if (send) { delete globalThis.\(name); \(script)\n\(reporter) } }"
        return "\(program)\n\(ChromiumScripts.ownName)"
    }

    /// The name of the driver's own programs, which `web/bridge/stacks.js` leaves out of stacks.
    static let ownName = "//# sourceURL=bridged:driven.js"

    /// Returns the name of the function that takes text for the driver in a world, which no other world has.
    private func binding(of world: String?) -> String {
        if let name = bindings[world ?? ""] { return name }
        let name = ChromiumScripts.randomName()
        bindings[world ?? ""] = name
        session.send("Runtime.addBinding") { writer in
            writer.member("name", name)
            writer.member("executionContextName", world ?? "")
        }
        return name
    }

    static func randomName() -> String { "bridged" + UUID().uuidString.replacing("-", with: "") }

    /// Handles `Runtime.bindingCalled`.
    /// - Returns: what the user has done, if the script reports that.
    func bindingCalled(_ params: JSON, in world: ScriptWorld) -> PageAction? {
        guard let payload = params["payload"]?.string, params["name"]?.string == bindings[world.name ?? ""] else {
            return nil
        }
        let prefix = "action "
        if payload.hasPrefix(prefix) { return PageAction(String(payload.dropFirst(prefix.count))) }
        world.receive(payload)
        return nil
    }

    /// `web/driven.js` hands over its object as an argument of `console.debug`, which leaves no trace in the page.
    func consoleCalled(_ params: JSON, in world: ScriptWorld) {
        // A page that knows the name comes too late: the script runs before any of the page.
        guard world.bridge == nil, let arguments = params["args"]?.elements, arguments.count == 2,
            let name = arguments[0]["value"]?.string, name == bindings[world.name ?? ""],
            let bridge = arguments[1]["objectId"]?.string
        else { return }
        world.setBridge(bridge)
    }
}
