import BridgeProtocol

/// Finds problems of a page that is attached.
extension Diagnosis {
    /// - Parameter builtIn: the names of the components that bridged has.
    static func findings(
        _ facts: PageFacts, by attachment: PageAttachment, handlers: [String], builtIn: [String], scriptTag: String
    ) -> [Finding] {
        place(of: facts, attachment, scriptTag) + missingHandlers(facts, handlers) + policies(facts, attachment)
            + surroundings(facts, attachment) + facts.components.findings(by: attachment, builtIn: builtIn)
    }

    private static func place(of facts: PageFacts, _ attachment: PageAttachment, _ tag: String) -> [Finding] {
        if case .driven(let engine) = attachment {
            return [Finding(.ok, "driven", "bridged drives \(engine.rawValue), so the page needs no tag of bridge.js.")]
        }
        guard let bridge = facts.bridge else {
            return .one(
                .note, "scriptTagMissing",
                "The page is attached, but has no tag of /bridge.js: something else loads it.",
                fix: "If scripts do not find window.webkit, put this first in <head>: \(tag)")
        }
        var findings: [Finding] = []
        if bridge.isLate {
            findings += .one(
                .error, "scriptLate",
                "The tag of bridge.js has async, defer or type=module, so the page's scripts run first.",
                fix: "Remove these attributes: \(tag)")
        }
        if let first = facts.earlier.first {
            let others = facts.earlier.count > 1 ? " and \(facts.earlier.count - 1) more" : ""
            findings += .one(
                .error, "scriptNotFirst",
                "\(first)\(others) runs before bridge.js, so it does not find window.webkit.",
                fix: "Move the tag of bridge.js to be the first script in <head>.")
        }
        if !bridge.isInHead {
            findings += .one(
                .warning, "scriptNotInHead", "The tag of bridge.js is not in <head>.",
                fix: "Put it first in <head>: Turbo replaces <body> at each visit.")
        }
        return findings.isEmpty ? [Finding(.ok, "script", "bridge.js is the first script in <head>.")] : findings
    }

    private static func missingHandlers(_ facts: PageFacts, _ handlers: [String]) -> [Finding] {
        let missing = facts.uses.filter { !handlers.contains($0) }
        guard !facts.isOnAndroid else { return missing.filter { !facts.calls.contains($0) }.map(messageToNobody) }
        let findings = missing.map { name in
            let known = handlers.isEmpty ? "none" : handlers.joined(separator: ", ")
            let nearest =
                EditDistance.nearest(to: name, in: handlers).map { "Did the page mean \($0)? If not, r" } ?? "R"
            return Finding(
                .error, "handlerMissing",
                "The page's scripts use webkit.messageHandlers.\(name), but no such handler is registered (registered: \(known)).",
                fix: "\(nearest)egister it with server.addHandler(\"\(name)\", …), or try: bridged stub \(name) --echo")
        }
        guard findings.isEmpty else { return findings }
        let used =
            facts.uses.isEmpty
            ? []
            : [
                Finding(
                    .ok, "handlers",
                    "Every handler that the scripts name is registered: \(facts.uses.joined(separator: ", ")).")
            ]
        return used + (facts.computesNames ? [computedNames(handlers)] : [])
    }

    private static func computedNames(_ handlers: [String]) -> Finding {
        let known = handlers.isEmpty ? "none" : handlers.joined(separator: ", ")
        return Finding(
            .note, "handlersComputed",
            "The scripts compute names of handlers (messageHandlers[…]), which this check cannot know (registered: \(known)).",
            fix:
                "Use the page. A post to a handler that is not there is a problem handlerUndefined: bridged tail --filter "
                + "kind:problem")
    }

    /// Makes the finding for a handler that the page uses although the app emulates Android. Android has interface
    /// objects instead of message handlers, and a page for both platforms calls those, too.
    private static func messageToNobody(_ name: String) -> Finding {
        Finding(
            .error, "handlerOnAndroid",
            "The page's scripts use webkit.messageHandlers.\(name), but an app for Android has no message handlers.",
            fix: "If window.webkit is missing, call \(name).postMessage(JSON.stringify(message)). See docs/emulate.md.")
    }

    /// With the tag, the facts come from a script that ran in the page, so the page's policy allows all that the bridge
    /// needs. A driven browser asks no policy.
    private static func policies(_ facts: PageFacts, _ attachment: PageAttachment) -> [Finding] {
        facts.policies.map { policy in
            let effect = attachment.isDriven ? "cannot block" : "allows"
            return Finding(.ok, "policy", "The Content-Security-Policy (\(policy.place)) \(effect) the bridge.")
        }
    }

    private static func surroundings(_ facts: PageFacts, _ attachment: PageAttachment) -> [Finding] {
        var findings: [Finding] = []
        if facts.url.hasPrefix("https:"), !attachment.isDriven {
            findings += .one(
                .warning, "mixedContent", "The page is served over https and the daemon over http.",
                fix:
                    "Chromium and Firefox allow that for localhost, WebKit does not. Serve the page over http in development."
            )
        }
        // bridged starts Chromium with switches that keep the timers of hidden pages.
        if facts.isHidden, attachment != .driven(.chromium) {
            findings += .one(
                .note, "hidden", "The page is in the background, where browsers slow down timers.",
                fix: "Bring it to the front if something takes a second or more.")
        }
        let userAgent = attachment.isDriven ? facts.userAgent : facts.browserUserAgent
        if userAgent.firstMatch(of: /(Turbo|Hotwire) Native|Turbolinks/) == nil {
            findings += .one(
                .note, "userAgent",
                "The user agent does not name a native app, so turbo_native_app? in Rails is false: \(userAgent)",
                fix: attachment.isDriven
                    ? "Look for what sets it: customUserAgent of the app's web view, or a script that replaces "
                        + "navigator.userAgent."
                    : "Start the browser with one that names it, such as: chromium --user-agent='Turbo Native "
                        + (facts.isOnAndroid ? "Android'" : "iOS'") + ". bridged open does so.")
        }
        findings.append(turbo(facts, attachment))
        if !facts.unread.isEmpty {
            findings += .one(
                .note, "scriptsUnread",
                "Scripts of other origins could not be read for the handlers they use: \(facts.unread.joined(separator: ", "))",
                fix: "Search them for messageHandlers.")
        }
        return findings
    }

    /// Finds out why visits do not work.
    private static func turbo(_ facts: PageFacts, _ attachment: PageAttachment) -> Finding {
        guard let turbo = facts.turbo else {
            guard facts.hasTurboElements else {
                return Finding(
                    .note, "turboMissing", "The page has no window.Turbo: each visit loads a whole document.",
                    fix:
                        "Do nothing if the site does not use Turbo. Otherwise check that its script loads: it sets window.Turbo."
                )
            }
            return Finding(
                .error, "turboNotOnWindow",
                "Turbo runs in the page, but window.Turbo, which an app's adapter needs, is missing.",
                fix: "Add this where the page's scripts import it: window.Turbo = Turbo.")
        }
        guard facts.hasAdapter else {
            return Finding(
                .warning, "adapterMissing", "The page has \(turbo), but no window.turboNative: it proposes no visits.",
                fix: "Reload the page. \(attachment.source) adds the adapter. The page's console may say more.")
        }
        guard facts.isAdapterRegistered else {
            return Finding(
                .error, "adapterNotRegistered", "\(turbo) uses another adapter than window.turboNative.",
                fix: "Find the script that calls Turbo.registerAdapter or sets Turbolinks.controller.adapter.")
        }
        return Finding(.ok, "turbo", "The page has \(turbo), which uses the app's adapter.")
    }
}

extension PageFacts {
    /// The user agent that the browser sends in requests: bridge.js adds the app's part only in the page.
    fileprivate var browserUserAgent: String {
        userAgent.replacing(/\ Hotwire Native \w+; Turbo Native \w+; bridge-components: \[[^\]]*\];?$/, with: "")
    }

    fileprivate var isOnAndroid: Bool { userAgent.contains("Turbo Native Android") }
}
