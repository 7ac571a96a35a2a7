public import BridgeProtocol

extension Verdict.Reason {
    /// A bridge component's message came from a screen that is not the active one.
    public static let inactiveDestination = Verdict.Reason(rawValue: "inactiveDestination")
    /// A bridge component's message names another URL than its destination's.
    public static let urlMismatch = Verdict.Reason(rawValue: "urlMismatch")
    /// No bridge component is registered under the name.
    public static let unknownComponent = Verdict.Reason(rawValue: "unknownComponent")
    /// The component has no such event.
    public static let unknownEvent = Verdict.Reason(rawValue: "unknownEvent")
}

/// Why a component's message came to nothing.
extension Verdict {
    /// - Parameter location: of the screen that is not the one in front; nil where the web view shows none.
    static func inactiveDestination(_ location: String?) -> Verdict {
        Verdict(
            .dropped, reason: .inactiveDestination, expected: "a page on the screen that the user sees",
            found: location.map { "one of the screen \($0)" } ?? "one that no screen of the app shows", at: "",
            hint: """
                Send it again when the screen comes back: a page hears of that by the visibility of its document, or \
                as its component connects anew. bridged app shows both stacks.
                """)
    }

    static func urlMismatch(_ url: String?, _ location: String) -> Verdict {
        Verdict(
            .dropped, reason: .urlMismatch, expected: location, found: url ?? "nothing", at: "/data/metadata/url",
            hint: url == nil
                ? "The web library puts window.location.href there: {data: {metadata: {url: …}}}."
                : "The page went on before its message was sent, as one that waited for the adapter. Send it anew.")
    }

    static func unknownComponent(_ name: String, among names: [String]) -> Verdict {
        let nearest = EditDistance.nearest(to: name, in: names).map { "Did you mean \(quoted($0))? " } ?? ""
        return Verdict(
            .dropped, reason: .unknownComponent,
            expected: names.isEmpty ? "a component of the app" : "one of \(names.joined(separator: ", "))",
            found: "string \(quoted(name))", at: "/component",
            hint: nearest + """
                To have it, subclass BridgeComponent with that name, and add it: \
                configuration.components.append(MyComponent.self).
                """)
    }

    static func unknownEvent(_ event: String, of component: String, among events: [String]) -> Verdict {
        let nearest = EditDistance.nearest(to: event, in: events).map { "Did you mean \(quoted($0))? " } ?? ""
        return Verdict(
            .dropped, reason: .unknownEvent, expected: "one of \(events.joined(separator: ", "))",
            found: "string \(quoted(event))", at: "/event",
            hint: nearest
                + "docs/components.md has what \(component) understands. An app's own component takes its place.")
    }
}
