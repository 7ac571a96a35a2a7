public import BridgeProtocol

/// Which of the two stacks a screen belongs to: property `context`.
public enum PresentationContext: String, Sendable, CaseIterable { case `default`, modal }

/// How a screen comes to its stack: property `presentation`. iOS does not know `push`, and takes it as default.
public enum Presentation: String, Sendable, CaseIterable {
    case `default`, push, pop, replace, refresh
    case clearAll = "clear_all"
    case replaceRoot = "replace_root"
    case none

    package static func known(to profile: Platform) -> [Presentation] {
        profile == .android ? allCases : allCases.filter { $0 != .push }
    }
}

/// How a modal looks that comes up: property `modal_style`, iOS only.
public enum ModalStyle: String, Sendable, CaseIterable {
    case medium, large, full
    case pageSheet = "page_sheet"
    case formSheet = "form_sheet"
}

/// Whether another query makes another place: property `query_string_presentation`.
public enum QueryStringPresentation: String, Sendable, CaseIterable { case `default`, replace }

/// What the framework reads from properties. A value that it does not know counts as the default, in silence; the
/// linter is there to say so.
public struct InterpretedProperties: Sendable, Equatable {
    public var context = PresentationContext.default
    public var presentation = Presentation.default
    public var queryStringPresentation = QueryStringPresentation.default
    public var animated = true
    public var pullToRefreshEnabled: Bool
    public var isHistoricalLocation = false

    /// iOS: which native screen; `web` for none.
    public var viewController = "web"
    public var modalStyle = ModalStyle.large
    public var modalDismissGestureEnabled = true

    /// Android: the destination of the fragment or activity, which every location needs.
    public var uri: String?
    public var fallbackURI: String?
    public var title: String?

    public let profile: Platform

    public init(_ properties: PathProperties, as profile: Platform = .ios) {
        self.profile = profile
        // The platforms' own defaults.
        pullToRefreshEnabled = profile == .ios
        func choice<Choice: RawRepresentable<String>>(_ key: String, among known: [Choice], or other: Choice) -> Choice
        {
            let text: String? = properties[key]
            let value = profile == .android ? text?.lowercased() : text
            return known.first { $0.rawValue == value } ?? other
        }
        func flag(_ key: String, or other: Bool) -> Bool { properties[key] ?? other }
        context = choice("context", among: PresentationContext.allCases, or: .default)
        presentation = choice("presentation", among: Presentation.known(to: profile), or: .default)
        queryStringPresentation = choice(
            "query_string_presentation", among: QueryStringPresentation.allCases, or: .default)
        animated = flag("animated", or: true)
        pullToRefreshEnabled = flag("pull_to_refresh_enabled", or: pullToRefreshEnabled)
        isHistoricalLocation = flag("historical_location", or: false)
        switch profile {
        case .ios:
            viewController = properties["view_controller"] ?? viewController
            modalStyle = choice("modal_style", among: ModalStyle.allCases, or: .large)
            modalDismissGestureEnabled = flag("modal_dismiss_gesture_enabled", or: true)
        case .android:
            uri = properties["uri"]
            fallbackURI = properties["fallback_uri"]
            title = properties["title"]
        }
    }
}

extension PathProperties {
    public func interpreted(as profile: Platform = .ios) -> InterpretedProperties {
        InterpretedProperties(self, as: profile)
    }
}

extension InterpretedProperties: JSONWritable {
    /// Every key that the platform reads, with what it reads there.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            for (key, value) in members { writer.member(named: key, value) }
        }
    }

    /// The keys that the platform reads and their values, the choices first.
    public var members: [(key: String, value: JSONValue)] {
        let choices: [(String, JSONValue)] = [
            ("context", .string(context.rawValue)), ("presentation", .string(presentation.rawValue)),
            ("query_string_presentation", .string(queryStringPresentation.rawValue)), ("animated", .bool(animated)),
            ("pull_to_refresh_enabled", .bool(pullToRefreshEnabled)),
            ("historical_location", .bool(isHistoricalLocation)),
        ]
        switch profile {
        case .ios:
            return choices + [
                ("view_controller", .string(viewController)), ("modal_style", .string(modalStyle.rawValue)),
                ("modal_dismiss_gesture_enabled", .bool(modalDismissGestureEnabled)),
            ]
        case .android:
            let texts = [("uri", uri), ("fallback_uri", fallbackURI), ("title", title)]
            return choices + texts.map { ($0.0, $0.1.map(JSONValue.string) ?? .null) }
        }
    }
}
