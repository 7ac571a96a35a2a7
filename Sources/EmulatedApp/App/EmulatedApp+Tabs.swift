import BridgeProtocol
import BridgeServer
public import Foundation

/// The app's tabs, which work like those of `HotwireTabBarController`: each has a navigator of its own. With `lazyLoadTabs`
/// it visits its URL when it is first tapped. In a driven browser each has its own web views. Otherwise all tabs share two
/// web views, and load lazily; the selected tab uses them.
extension EmulatedApp {
    public struct Tab: Sendable, Equatable {
        public let title: String
        /// The first location, resolved against the root URL.
        public let url: URL

        public init(title: String, url: URL) {
            self.title = title
            self.url = url
        }
    }

    /// The tab on which the app works: the selected one, except while a session of another tab reports something.
    var currentTab: Int { workingTab ?? selectedTab }

    /// The navigator of the tab on which the app works; nil until the tab has started.
    var navigator: Navigator? {
        get { navigators[currentTab] }
        set { navigators[currentTab] = newValue }
    }

    /// Works on a tab, which the user may not see.
    func inTab<Result>(_ index: Int, _ body: () throws -> Result) rethrows -> Result {
        let former = workingTab
        workingTab = index
        defer { workingTab = former }
        return try body()
    }

    /// Changes a screen of any tab, because its visit may end after the user has tapped another tab.
    func updateScreen(_ id: Screen.ID, _ change: (inout Screen) -> Void) {
        for index in navigators.indices { navigators[index]?.updateScreen(id, change) }
    }

    func url(of tab: Tab) -> URL {
        URL(string: tab.url.relativeString, relativeTo: baseURL)?.absoluteURL ?? tab.url
    }

    /// The tab that starts at that URL.
    func tab(at url: URL) -> Int? {
        configuration.tabs.firstIndex { $0.url.path == url.path && $0.url.query() == url.query() }
    }

    func tapTab(_ arguments: Action.Arguments) throws {
        let index = try tab(named: arguments["tab", default: ""])
        try requireScreen()
        guard !navigation.isModalPresented else {
            throw ActionRefusal("a modal covers the tabs. dismissModal dismisses it.")
        }
        guard isTabBarVisible else {
            let place = configuration.framework.platform == .ios ? " above a tab's first screen" : ""
            throw ActionRefusal("the tab bar is hidden\(place).")
        }
        let cause = "the user taps the tab \(configuration.tabs[index].title)"
        // UIKit pops to the root if the selected tab is tapped.
        guard index != selectedTab else {
            guard navigation.main.count > 1 else {
                throw ActionRefusal(
                    "the tab \(configuration.tabs[index].title) is selected, and shows its first screen.")
            }
            let isAndroid = configuration.framework.platform == .android
            return try perform(cause) { isAndroid ? $0.clearAll() : $0.popToRoot() }
        }
        try requirePage()
        prepare(index)
        selectedTab = index
        navigate(cause) { $0.launch() }
    }

    /// - Parameter name: a title, or a number from 1.
    private func tab(named name: String) throws -> Int {
        let tabs = configuration.tabs.filter(isVisible)
        guard !tabs.isEmpty else {
            throw ActionRefusal("the app has no tabs. Add some, such as \(setting("tab", "tabs", "Home=/")).")
        }
        let tab = tabs.first { $0.title == name } ?? tabs.indices.first { Int(name) == $0 + 1 }.map { tabs[$0] }
        if let index = configuration.tabs.firstIndex(where: { $0 == tab }) { return index }
        throw ActionRefusal("there is no tab '\(name)'. The tabs are: \(tabs.map(\.title).joined(separator: ", ")).")
    }

    /// Makes the navigator of a tab and its web views, unless it has them.
    private func prepare(_ index: Int) {
        if navigators[index] == nil {
            navigators[index] = configuration.makeNavigator(startLocation: url(of: configuration.tabs[index]))
        }
        prepareViews(ofTab: index)
    }

    /// Starts the tabs that are not selected, unless they load lazily.
    func loadOtherTabs() {
        guard !configuration.lazyLoadTabs, drivenPage != nil else { return }
        for index in configuration.tabs.indices where navigators[index] == nil {
            prepare(index)
            inTab(index) {
                _ = navigate("the tab \(configuration.tabs[index].title) starts with the app") { $0.launch() }
            }
        }
    }

    /// How many tabs an app can have: an iPhone shows five items, and so does Material's `BottomNavigationView`.
    private static let maximumTabs = 5

    /// Reports more tabs than the frameworks can have. The emulated app shows them nevertheless.
    func reportExcessOfTabs() {
        let count = configuration.tabs.count
        guard count > EmulatedApp.maximumTabs else { return }
        let consequence =
            configuration.framework.platform == .ios
            ? """
            an iPhone shows four of them and the item More, and a tab behind it does not work in HotwireTabBarController, \
            whose stacks cannot lie in that of More (hotwire-native-ios 186).
            """
            : "a BottomNavigationView takes five, and ends the app at the next one with an IllegalArgumentException."
        server.traffic.problem(
            "tooManyTabs", "The app has \(count) tabs: \(consequence)",
            hint: "Give the app at most five tabs, and let a page in one of them lead to the others.")
    }

    func state(ofTab index: Int) -> JSONValue {
        let tab = configuration.tabs[index]
        let navigation = navigators[index]?.state ?? NavigationState()
        return [
            "title": .string(tab.title), "url": .string(url(of: tab).absoluteString),
            "selected": .bool(index == selectedTab), "isVisible": .bool(isVisible(tab)),
            "main": .array(navigation.main.map(state)), "modal": .array(navigation.modal.map(state)),
        ]
    }
}
