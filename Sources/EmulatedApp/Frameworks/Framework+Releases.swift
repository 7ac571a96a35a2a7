import PathConfiguration

/// The releases that can be emulated. `docs/navigation.md` shows where they differ.
extension Framework {
    /// hotwire-native-ios 1.2.
    public static let ios12 = ios13Beta.changed("ios@1.2") {
        $0.redirectPop = .never
        $0.refreshAction = .restore
        $0.turboLoadTimeout = .seconds(4)
        $0.pathSubject = .decoded
        $0.fetchRecovery = .redirects
        $0.passesRedirected = false
    }

    /// hotwire-native-ios 1.3.0-beta: its redirects and errors, with the rules of the main branch up to 38631e2, which
    /// the recorded cases come from.
    public static let ios13Beta = Framework()

    /// hotwire-native-ios 1.3, as released, with its pull requests 231, 248, 251, 253 and 261. The last of them is from
    /// August 2026 and thus in 1.3.1 at the earliest; see docs/notes/upstream.md.
    public static let ios13 = ios13Beta.changed("ios@1.3") {
        $0.redirectPop = .betweenStacks
        $0.comparesNativeScreensByURL = true
        $0.hasHotwireNativeErrors = true
        $0.destinationActivity = .whileAttached
    }

    /// The main branch of hotwire-native-ios. No difference from the release is known.
    public static let iosMain = ios13.changed("ios@main") { _ in }

    /// hotwire-native-android 1.3.
    public static let android13 = ios13Beta.changed("android@1.3") {
        $0.platform = .android
        $0.navigator = .android
        $0.turboLoadTimeout = .seconds(4)
        $0.redirectPop = .never
        $0.comparesNativeScreensByURL = true
        $0.visitsFirst = false
        $0.fetchRecovery = .redirects
        $0.passesRedirected = false
        $0.cancelsRedirectedColdBoots = false
        $0.destinationActivity = .whileVisible
    }

    /// TurboNavigator 0.3, which apps with turbo-ios used before Hotwire Native.
    public static let turboNavigator = ios13Beta.changed("turbo-navigator") {
        $0.redirectPop = .never
        $0.knowsHistoricalLocations = false
        $0.turboLoadTimeout = .seconds(4)
        $0.pushesAfterModal = false
        $0.samePlace = .sameURL
        $0.visitsFirst = false
        $0.reloadsLastVisited = true
        $0.checksNativeHosts = false
        $0.vocabulary = .turboNavigator
        $0.links = .leaves
        $0.fetchRecovery = .none
        $0.cancelsRedirectedColdBoots = false
        $0.clearsSnapshotsAtOnce = true
        $0.passesRedirected = false
        $0.components = .strada
        $0.destinationActivity = .whileVisible
        $0.pathSubject = .decoded
    }

    /// turbo-ios 7.1 with the navigator of its demo app.
    public static let turboIOS71 = turboNavigator.changed("turbo-ios@7.1") {
        $0.navigator = .turboDemo
        $0.vocabulary = .turboDemo
        $0.samePlace = .never
        $0.links = .leavesAsInDemo
        $0.components = .none
    }

    /// turbo-ios 7.1 with the components of strada-ios 1.0, as in its demo app.
    public static let stradaIOS10 = turboIOS71.changed("strada-ios@1.0") { $0.components = .strada }

    /// Every release, the older before the newer.
    public static let all = [ios12, ios13Beta, ios13, iosMain, android13, turboNavigator, turboIOS71, stradaIOS10]

    /// The framework of a new app.
    public static let `default` = ios13

    /// Finds a release by its name. `ios`, `android`, `turbo-ios` and `strada-ios` alone stand for the newest release.
    public init?(named name: String) {
        let newest = [
            "ios": Framework.ios13, "android": .android13, "turbo-ios": .turboIOS71, "strada-ios": .stradaIOS10,
        ]
        guard let found = newest[name] ?? Framework.all.first(where: { $0.name == name }) else { return nil }
        self = found
    }

    /// The names of all releases as a text for people.
    public static var names: String { all.map(\.name).joined(separator: ", ") }

    private func changed(_ name: String, _ change: (inout Framework) -> Void) -> Framework {
        var framework = self
        framework.name = name
        change(&framework)
        return framework
    }
}
