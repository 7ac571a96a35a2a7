public import BridgeProtocol

/// The stack that a screen belongs to: property `context`.
public enum PresentationContext: String, Sendable, CaseIterable { case `default`, modal }

/// How a screen is added to its stack: property `presentation`. iOS does not know `push` and treats it as `default`.
public enum Presentation: String, Sendable, CaseIterable {
    case `default`, push, pop, replace, refresh
    case clearAll = "clear_all"
    case replaceRoot = "replace_root"
    case none

    package static func known(to platform: Platform) -> [Presentation] {
        platform == .android ? allCases : allCases.filter { $0 != .push }
    }
}

/// The style in which a modal is presented: property `modal_style`, on iOS only.
public enum ModalStyle: String, Sendable, CaseIterable {
    case medium, large, full
    case pageSheet = "page_sheet"
    case formSheet = "form_sheet"
}

/// Whether URLs that differ only in their query are different locations: property `query_string_presentation`.
public enum QueryStringPresentation: String, Sendable, CaseIterable { case `default`, replace }

/// The properties that the framework reads. It silently replaces an unknown value by the default; the linter reports
/// such values.
public struct InterpretedProperties: Sendable, Equatable {
    public var context: PresentationContext
    public var presentation: Presentation
    public var queryStringPresentation: QueryStringPresentation
    public var animated: Bool
    public var pullToRefreshEnabled: Bool
    public var isHistoricalLocation: Bool

    /// iOS: the name of a native screen, or `web` for a web view.
    public var viewController = "web"
    public var modalStyle = ModalStyle.large
    public var modalDismissGestureEnabled = true

    /// Android: the destination of the fragment or activity, ``defaultURI`` if there is none.
    public var uri: String?
    public var fallbackURI: String?
    public var title: String?

    public let platform: Platform

    /// Android: the destinations that hotwire-native-android itself has.
    public static let defaultURI = "hotwire://fragment/web"
    public static let bottomSheet = "hotwire://fragment/web/modal/sheet"
    public static let frameworkDestinations: Set<String> = [defaultURI, bottomSheet]

    public init(_ properties: PathProperties, as platform: Platform = .ios) {
        self.platform = platform
        func choice<Choice: RawRepresentable<String>>(_ key: String, among known: [Choice], or other: Choice) -> Choice
        {
            let text: String? = properties[key]
            let value = platform == .android ? text?.lowercased() : text
            return known.first { $0.rawValue == value } ?? other
        }
        context = choice("context", among: PresentationContext.allCases, or: .default)
        presentation = choice("presentation", among: Presentation.known(to: platform), or: .default)
        queryStringPresentation = choice(
            "query_string_presentation", among: QueryStringPresentation.allCases, or: .default)
        animated = properties["animated"] ?? true
        pullToRefreshEnabled = properties["pull_to_refresh_enabled"] ?? (platform == .ios)
        isHistoricalLocation = properties["historical_location"] ?? false
        switch platform {
        case .ios:
            viewController = properties["view_controller"] ?? viewController
            modalStyle = choice("modal_style", among: ModalStyle.allCases, or: .large)
            modalDismissGestureEnabled = properties["modal_dismiss_gesture_enabled"] ?? true
        case .android:
            uri = properties["uri"] ?? Self.defaultURI
            fallbackURI = properties["fallback_uri"]
            title = properties["title"]
        }
    }
}

extension InterpretedProperties: JSONWritable {
    /// Writes an object with the ``members``.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            for (key, value) in members { writer.member(named: key, value) }
        }
    }

    /// The keys that the platform reads, and their values.
    public var members: [(key: String, value: JSONValue)] {
        let choices: [(String, JSONValue)] = [
            ("context", .string(context.rawValue)), ("presentation", .string(presentation.rawValue)),
            ("query_string_presentation", .string(queryStringPresentation.rawValue)), ("animated", .bool(animated)),
            ("pull_to_refresh_enabled", .bool(pullToRefreshEnabled)),
            ("historical_location", .bool(isHistoricalLocation)),
        ]
        switch platform {
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
