import PathConfiguration

/// The releases that can be emulated. `docs/navigation.md` shows where they differ.
extension Framework {
    /// hotwire-native-ios 1.2: a redirect pops nothing.
    public static let ios12 = hotwireNative("ios@1.2", redirectPop: .never)

    /// hotwire-native-ios 1.3: every redirect first pops a screen (`Navigator.swift`, `didProposeVisit`).
    public static let ios13 = hotwireNative("ios@1.3", redirectPop: .always)

    /// The main branch of hotwire-native-ios, with its pull requests 248, 251 and 261.
    public static let iosMain = hotwireNative(
        "ios@main", redirectPop: .betweenStacks, comparesNativeScreensByURL: true, hasHotwireNativeErrors: true)

    /// hotwire-native-android 1.3.
    public static let android13 = Framework(
        name: "android@1.3", platform: .android, redirectPop: .never, knowsHistoricalLocations: true,
        pushesAfterModal: true, comparesPathAndQuery: true, comparesNativeScreensByURL: true, visitsFirst: false,
        reloadsLastVisited: false, checksNativeHosts: true, knowsDetails: true, hasHotwireNativeErrors: false,
        nativeScreenKey: "uri")

    /// TurboNavigator as its README describes it. Apps with turbo-ios used it before Hotwire Native.
    public static let turboNavigator = Framework(
        name: "turbo-navigator", platform: .ios, redirectPop: .never, knowsHistoricalLocations: false,
        pushesAfterModal: false, comparesPathAndQuery: false, comparesNativeScreensByURL: false, visitsFirst: false,
        reloadsLastVisited: true, checksNativeHosts: false, knowsDetails: false, hasHotwireNativeErrors: false,
        nativeScreenKey: "view-controller")

    /// Every release, the older before the newer.
    public static let all = [ios12, ios13, iosMain, android13, turboNavigator]

    /// The framework of a new app.
    public static let `default` = ios13

    /// Finds a release by its name. `ios` and `android` alone stand for the newest release.
    public init?(named name: String) {
        let newest = ["ios": Framework.ios13, "android": .android13]
        guard let found = newest[name] ?? Framework.all.first(where: { $0.name == name }) else { return nil }
        self = found
    }

    /// The names of all releases as a text for people.
    public static var names: String { all.map(\.name).joined(separator: ", ") }

    private static func hotwireNative(
        _ name: String, redirectPop: RedirectPop, comparesNativeScreensByURL: Bool = false,
        hasHotwireNativeErrors: Bool = false
    ) -> Framework {
        Framework(
            name: name, platform: .ios, redirectPop: redirectPop, knowsHistoricalLocations: true,
            pushesAfterModal: true, comparesPathAndQuery: true,
            comparesNativeScreensByURL: comparesNativeScreensByURL, visitsFirst: true, reloadsLastVisited: false,
            checksNativeHosts: true, knowsDetails: true,
            hasHotwireNativeErrors: hasHotwireNativeErrors, nativeScreenKey: "view_controller")
    }
}
