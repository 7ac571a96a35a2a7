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
