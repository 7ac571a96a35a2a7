import BridgeProtocol

/// The properties that a framework reads.
public enum PathVocabulary: Sendable, Hashable {
    /// Those of Hotwire Native on both platforms.
    case hotwireNative
    /// Those of TurboNavigator: `context`, `presentation` and `view-controller`.
    case turboNavigator
    /// Those of turbo-ios' demo app: `view-controller`, and `presentation`, which is `modal` or missing.
    case turboDemo

    /// The property that names a native screen on iOS.
    public var nativeScreenKey: String { self == .hotwireNative ? "view_controller" : "view-controller" }

    /// The properties that accept only certain values.
    var choices: [String: [String]] {
        let contexts = PresentationContext.allCases.map(\.rawValue)
        return switch self {
        case .hotwireNative:
            [
                "context": contexts, "presentation": Presentation.allCases.map(\.rawValue),
                "modal_style": ModalStyle.allCases.map(\.rawValue),
                "query_string_presentation": QueryStringPresentation.allCases.map(\.rawValue),
            ]
        case .turboNavigator:
            ["context": contexts, "presentation": Presentation.known(to: .ios).map(\.rawValue)]
        case .turboDemo: ["presentation": ["modal"]]
        }
    }

    /// The properties that are true or false.
    var flags: [String] {
        guard self == .hotwireNative else { return [] }
        return ["animated", "pull_to_refresh_enabled", "modal_dismiss_gesture_enabled", "historical_location"]
    }

    /// The properties that are texts.
    var texts: [String] {
        self == .hotwireNative ? [nativeScreenKey, "uri", "fallback_uri", "title"] : [nativeScreenKey]
    }

    var keys: [String] { choices.keys.sorted() + flags + texts }
}

extension PathProperties {
    /// Reads the properties as a release does.
    public func interpreted(
        as platform: Platform = .ios, _ vocabulary: PathVocabulary = .hotwireNative
    ) -> InterpretedProperties {
        guard vocabulary != .hotwireNative else { return InterpretedProperties(self, as: platform) }
        var read = PathProperties()
        for key in vocabulary.choices.keys { read[key] = self[key] as JSONValue? }
        read["view_controller"] = self[vocabulary.nativeScreenKey] as JSONValue?
        if vocabulary == .turboDemo {
            read["context"] = self["presentation"] == "modal" ? "modal" : nil
            read["presentation"] = nil as JSONValue?
        }
        return InterpretedProperties(read, as: platform)
    }
}
