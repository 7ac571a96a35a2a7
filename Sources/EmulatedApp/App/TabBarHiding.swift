public import PathConfiguration

/// Where an app hides its tab bar.
public enum TabBarHiding: String, Sendable, CaseIterable {
    /// iOS: above each tab's first screen; see hotwire-native-ios, `HotwireConfig.hideTabBarWhenPushed`.
    case whenPushed
    /// Android: everywhere; see hotwire-native-android, `HotwireBottomNavigationController.Visibility.HIDDEN`.
    case always

    /// The platform whose apps can do that.
    public var platform: Platform { self == .whenPushed ? .ios : .android }
}

extension EmulatedApp {
    /// Whether the user sees the tab bar.
    ///
    /// A modal covers it on iOS, and hides it on Android (`HotwireBottomNavigationController`, `updateVisibility`). Above a
    /// stack's first screen UIKit hides it if `HotwireNavigationController` says so. Android's keyboard hides it, too, which
    /// is not emulated: neither page nor stacks depend on it, and a user closes the keyboard to tap a tab.
    var isTabBarVisible: Bool {
        guard !configuration.tabs.isEmpty, !navigation.isModalPresented else { return false }
        guard let hiding = configuration.tabBarHiding, hiding.platform == configuration.framework.platform else {
            return true
        }
        return hiding == .whenPushed && navigation.main.count < 2
    }

    /// Whether the tab bar shows a tab; see hotwire-native-android, `HotwireBottomNavigationController`, `loadMenu`.
    func isVisible(_ tab: Tab) -> Bool {
        configuration.framework.platform == .ios || !configuration.hiddenTabs.contains(tab.title)
    }
}
