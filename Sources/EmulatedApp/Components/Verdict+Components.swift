public import BridgeProtocol

extension ProblemCode {
    /// A bridge component's message came from a screen that is not the active one.
    public static let inactiveDestination = Self("inactiveDestination", page: "components.md#why-nothing-happened")
    /// A bridge component's message names another URL than its destination's.
    public static let urlMismatch = Self("urlMismatch", page: "components.md#why-nothing-happened")
    /// No bridge component is registered under the name.
    public static let unknownComponent = Self("unknownComponent", page: "components.md#why-nothing-happened")
    /// The app has the component, and `bridged` does not emulate it.
    public static let componentNotEmulated = Self("componentNotEmulated", page: "components.md#why-nothing-happened")
    /// The component does not have the event.
    public static let unknownEvent = Self("unknownEvent", page: "components.md#why-nothing-happened")
}

/// The verdicts on messages that no component handled.
extension Verdict {
    static func noRoomForComponents(_ limit: Int) -> Verdict {
        Verdict(
            .dropped, reason: .memoryUsedUp, expected: "at most \(limit) bytes in the messages of all components",
            found: "more",
            hint: "Send less, or raise \(setting("max-memory-bytes", "limits.memoryBytes")).")
    }

    /// - Parameter location: the URL of the screen that is not active; nil if the web view has shown no screen.
    static func inactiveDestination(_ location: String?) -> Verdict {
        Verdict(
            .dropped, reason: .inactiveDestination, expected: "a page on an active screen",
            found: location.map { "one on the screen \($0)" } ?? "one that no screen of the app shows", at: "",
            hint: """
                A screen, a full-screen modal or, in older releases, another tab covers it. Send it again when the screen \
                comes back: the page gets visibilitychange, or its component connects again. bridged app shows all stacks.
                """)
    }

    /// The verdict on a message about the page's screen if the app shows none in that page's web view.
    static func noScreen(_ webView: String) -> Verdict {
        Verdict(
            .dropped, reason: .inactiveDestination, expected: "a page in main, or in modal while a modal is shown",
            found: "one in the web view '\(webView)'",
            hint: webView.contains("://")
                ? "The page's origin is not the app's. If it should be, start the daemon with "
                    + "\(setting("app-origin", "appOrigins", webView)), or run: "
                    + "bridged app-origin '\(webView)'"
                : "Load the page in one of them.")
    }

    static func urlMismatch(_ url: String?, _ location: String) -> Verdict {
        Verdict(
            .dropped, reason: .urlMismatch, expected: location, found: url ?? "nothing", at: "/data/metadata/url",
            hint: url == nil
                ? "The web library puts window.location.href there: {data: {metadata: {url: …}}}."
                : "The page's URL changed before the message was sent, for example while it waited for the adapter. Send it again."
        )
    }

    static func unknownComponent(_ name: String, among names: [String]) -> Verdict {
        let nearest = EditDistance.nearest(to: name, in: names).map { "Did you mean \(quoted($0))? " } ?? ""
        return Verdict(
            .dropped, reason: .unknownComponent,
            expected: names.isEmpty ? "a component of the app" : "one of \(names.joined(separator: ", "))",
            found: "string \(quoted(name))", at: "/component",
            hint: nearest + """
                To add it, declare it under components in bridged.yml, or in Swift: \
                configuration.components.append(MyComponent.self).
                """)
    }

    static func componentNotEmulated(_ name: String) -> Verdict {
        Verdict(
            .dropped, reason: .componentNotEmulated, expected: "a component that bridged emulates",
            found: "string \(quoted(name))", at: "/component",
            hint: "The app's build has it, but bridged does not know what it does. To say that, declare it under "
                + "components in bridged.yml, or subclass BridgeComponent in Swift.")
    }

    static func unknownEvent(_ event: String, of component: String, among events: [String]) -> Verdict {
        let nearest = EditDistance.nearest(to: event, in: events).map { "Did you mean \(quoted($0))? " } ?? ""
        return Verdict(
            .dropped, reason: .unknownEvent, expected: "one of \(events.joined(separator: ", "))",
            found: "string \(quoted(event))", at: "/event",
            hint: nearest + "What is declared for \(component) under components in bridged.yml comes first."
        )
    }
}
