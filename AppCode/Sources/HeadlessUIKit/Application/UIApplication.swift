public import HeadlessViews

/// The app.
@preconcurrency @MainActor open class UIApplication: UIResponder {
    public enum State: Int, Sendable { case active, inactive, background }

    public struct LaunchOptionsKey: Hashable, RawRepresentable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public static let url = LaunchOptionsKey(rawValue: "UIApplicationLaunchOptionsURLKey")
        public static let remoteNotification = LaunchOptionsKey(
            rawValue: "UIApplicationLaunchOptionsRemoteNotificationKey")
    }

    public struct OpenURLOptionsKey: Hashable, RawRepresentable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }
    }

    public struct OpenExternalURLOptionsKey: Hashable, RawRepresentable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public static let universalLinksOnly = OpenExternalURLOptionsKey(rawValue: "universalLinksOnly")
    }

    nonisolated public static let openSettingsURLString = "app-settings:"
    nonisolated public static let openNotificationSettingsURLString = "app-settings:notifications"
    public static let shared = UIApplication()

    open var delegate: (any UIApplicationDelegate)?
    open internal(set) var applicationState = State.active
    open internal(set) var connectedScenes: Set<UIScene> = []
    open var windows: [UIWindow] { Transitions.shared.windows }
    open var keyWindow: UIWindow? { windows.first(where: \.isKeyWindow) }
    open var applicationIconBadgeNumber = 0
    /// Shows nothing here, as on systems since iOS 13.
    open var isNetworkActivityIndicatorVisible = false
    open var isIdleTimerDisabled = false
    open var shortcutItems: [UIApplicationShortcutItem]?
    open var backgroundTimeRemaining: TimeInterval { .greatestFiniteMagnitude }
    open private(set) var isRegisteredForRemoteNotifications = false

    /// The URLs that the app has handed to the system, the newest last. (Not in UIKit.)
    public private(set) var openedURLs: [URL] = []
    /// Called with each URL that the app hands to the system. (Not in UIKit.)
    public var onOpen: ((URL) -> Void)?
    /// The token that `registerForRemoteNotifications` gives. (Not in UIKit.)
    public var deviceToken = Data("bridged".utf8)

    open func canOpenURL(_ url: URL) -> Bool { true }

    /// Apple has replaced it by `open(_:options:completionHandler:)`, and older apps still use it.
    @discardableResult open func openURL(_ url: URL) -> Bool {
        open(url)
        return true
    }

    open func open(
        _ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:], completionHandler: ((Bool) -> Void)? = nil
    ) {
        let isTaken = options[.universalLinksOnly] as? Bool != true
        if isTaken {
            openedURLs.append(url)
            onOpen?(url)
        }
        if let completionHandler { Turns.next { completionHandler(isTaken) } }
    }

    open func registerForRemoteNotifications() {
        isRegisteredForRemoteNotifications = true
        Turns.next { [self] in
            delegate?.application(self, didRegisterForRemoteNotificationsWithDeviceToken: deviceToken)
        }
    }

    open func unregisterForRemoteNotifications() { isRegisteredForRemoteNotifications = false }

    @discardableResult
    open func sendAction(_ action: Selector, to target: Any?, from sender: Any?, for event: UIEvent?) -> Bool {
        target.map { action.call($0 as AnyObject, sender: sender) } ?? false
    }

    open func beginBackgroundTask(expirationHandler handler: (() -> Void)? = nil) -> UIBackgroundTaskIdentifier {
        .invalid
    }
    open func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}
    open func setNeedsStatusBarAppearanceUpdate() {}
}

public struct UIBackgroundTaskIdentifier: Hashable, RawRepresentable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

open class UIApplicationShortcutItem: NSObject, @unchecked Sendable {
    // @unchecked Sendable: nothing changes after `init`.
    public let type: String
    public let localizedTitle: String

    public init(type: String, localizedTitle: String) { (self.type, self.localizedTitle) = (type, localizedTitle) }
}

public enum UIBackgroundFetchResult: UInt, Sendable { case newData, noData, failed }

@preconcurrency @MainActor public protocol UIApplicationDelegate: AnyObject {
    var window: UIWindow? { get set }
    func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    func application(
        _ application: UIApplication, configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration
    func application(_ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>)
    func application(
        _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data)
    func application(
        _ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error)
    func application(
        _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any]
    ) -> Bool
    func applicationDidBecomeActive(_ application: UIApplication)
    func applicationWillResignActive(_ application: UIApplication)
    func applicationDidEnterBackground(_ application: UIApplication)
    func applicationWillEnterForeground(_ application: UIApplication)
    func applicationWillTerminate(_ application: UIApplication)
}

extension UIApplicationDelegate {
    public var window: UIWindow? {
        get { nil }
        set {}
    }

    public func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool { true }
    public func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool { true }
    public func application(
        _ application: UIApplication, configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration { connectingSceneSession.configuration }
    public func application(_ application: UIApplication, didDiscardSceneSessions sceneSessions: Set<UISceneSession>) {}
    public func application(
        _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {}
    public func application(
        _ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {}
    public func application(
        _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any]
    ) -> Bool { false }
    public func applicationDidBecomeActive(_ application: UIApplication) {}
    public func applicationWillResignActive(_ application: UIApplication) {}
    public func applicationDidEnterBackground(_ application: UIApplication) {}
    public func applicationWillEnterForeground(_ application: UIApplication) {}
    public func applicationWillTerminate(_ application: UIApplication) {}
}
