import PathConfiguration

/// The components and native screens that a build of the app has registered. A newer server may need more: its pages
/// may use other components, and its path configuration may name other screens.
public struct Binary: Sendable, Equatable {
    /// The build's name in findings, such as `1.0`; nil if the app's build is not known. Then nothing counts as
    /// missing.
    public var name: String?
    /// iOS: the names of `view_controller` that become native screens; nil if every name does. The app shows other names as
    /// web screens, as the framework's demo does.
    public var nativeScreens: [String]?
    /// Android: the `uri`s of the registered fragments, in addition to the framework's own default; nil if they are not
    /// known. Then those of `hotwire://fragment/` count as registered.
    public var uris: [String]?
    /// The components that the app has and `bridged` does not emulate.
    public var ownComponents: [String] = []

    public init() {}

    /// Whether a `uri` has a fragment; see hotwire-native-android, `NavigatorRule.destinationFor`.
    public func hasFragment(for uri: String) -> Bool {
        guard let uris else { return uri.lowercased().hasPrefix("hotwire://fragment/") }
        return (uris + [InterpretedProperties.defaultURI]).contains { $0.lowercased() == uri.lowercased() }
    }

    /// Whether a `view_controller` becomes a native screen.
    public func hasNativeScreen(_ name: String) -> Bool { nativeScreens?.contains(name) ?? true }
}
