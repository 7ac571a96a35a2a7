public import HeadlessViews

/// One instance of the app's user interface. There is one scene here, as on a phone.
@preconcurrency @MainActor open class UIScene: UIResponder {
    public enum ActivationState: Int, Sendable {
        case unattached = -1
        case foregroundActive, foregroundInactive, background
    }

    public final class OpenExternalURLOptions: NSObject { public var universalLinksOnly = false }

    @MainActor public final class ConnectionOptions: NSObject {
        public internal(set) var urlContexts: Set<UIOpenURLContext> = []
        public internal(set) var userActivities: Set<NSUserActivity> = []
    }

    public let session: UISceneSession
    open var delegate: (any UISceneDelegate)?
    open internal(set) var activationState = ActivationState.unattached
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals, because UIKit declares it so.
    open var title: String! = ""

    public init(session: UISceneSession, connectionOptions: ConnectionOptions) { self.session = session }

    open override var next: UIResponder? { UIApplication.shared }

    open func open(
        _ url: URL, options: OpenExternalURLOptions?, completionHandler: ((Bool) -> Void)? = nil
    ) {
        // No other app takes universal links here.
        guard options?.universalLinksOnly != true else {
            completionHandler?(false)
            return
        }
        UIApplication.shared.open(url, completionHandler: completionHandler)
    }

    @discardableResult
    open func open(_ url: URL, options: OpenExternalURLOptions?) async -> Bool {
        await withCheckedContinuation { continuation in
            open(url, options: options) { continuation.resume(returning: $0) }
        }
    }
}

@preconcurrency @MainActor open class UIWindowScene: UIScene {
    open var windows: [UIWindow] { Transitions.shared.windows.filter { $0.windowScene === self } }
    open var keyWindow: UIWindow? { windows.first(where: \.isKeyWindow) }
    open var screen: UIScreen { .main }
    open var traitCollection: UITraitCollection { UITraitCollection() }
    open var interfaceOrientation: UIInterfaceOrientation { .portrait }
}

public enum UIInterfaceOrientation: Int, Sendable {
    case unknown, portrait, portraitUpsideDown, landscapeRight, landscapeLeft
    public var isLandscape: Bool { self == .landscapeLeft || self == .landscapeRight }
    public var isPortrait: Bool { self == .portrait || self == .portraitUpsideDown }
}

@preconcurrency @MainActor open class UISceneSession: NSObject {
    public struct Role: Hashable, RawRepresentable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public static let windowApplication = Role(rawValue: "UIWindowSceneSessionRoleApplication")
    }

    public let role = Role.windowApplication
    public let persistentIdentifier = "main"
    public internal(set) var configuration = UISceneConfiguration(name: nil, sessionRole: .windowApplication)
    public internal(set) weak var scene: UIScene?
}

@preconcurrency @MainActor open class UISceneConfiguration: NSObject {
    public let name: String?
    public let role: UISceneSession.Role
    open var delegateClass: AnyClass?
    open var sceneClass: AnyClass?

    public init(name: String?, sessionRole: UISceneSession.Role) { (self.name, role) = (name, sessionRole) }
}

/// A URL that the app is asked to open.
public final class UIOpenURLContext: NSObject, @unchecked Sendable {
    // @unchecked Sendable: nothing changes after `init`.
    public let url: URL

    init(url: URL) { self.url = url }
}

/// What the user was doing, such as following a universal link.
open class NSUserActivity: NSObject, @unchecked Sendable {
    // @unchecked Sendable: an app uses it on the main actor, as UIKit does.
    public let activityType: String
    open var title: String?
    open var webpageURL: URL?
    open var userInfo: [AnyHashable: Any]?

    public init(activityType: String) { self.activityType = activityType }
}

public let NSUserActivityTypeBrowsingWeb = "NSUserActivityTypeBrowsingWeb"

@preconcurrency @MainActor public protocol UISceneDelegate: AnyObject {
    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions)
    func sceneDidDisconnect(_ scene: UIScene)
    func sceneWillEnterForeground(_ scene: UIScene)
    func sceneDidBecomeActive(_ scene: UIScene)
    func sceneWillResignActive(_ scene: UIScene)
    func sceneDidEnterBackground(_ scene: UIScene)
    func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>)
    func scene(_ scene: UIScene, continue userActivity: NSUserActivity)
}

extension UISceneDelegate {
    public func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions
    ) {}
    public func sceneDidDisconnect(_ scene: UIScene) {}
    public func sceneWillEnterForeground(_ scene: UIScene) {}
    public func sceneDidBecomeActive(_ scene: UIScene) {}
    public func sceneWillResignActive(_ scene: UIScene) {}
    public func sceneDidEnterBackground(_ scene: UIScene) {}
    public func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>) {}
    public func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {}
}

@preconcurrency @MainActor public protocol UIWindowSceneDelegate: UISceneDelegate {
    var window: UIWindow? { get set }
}

extension UIWindowSceneDelegate {
    public var window: UIWindow? {
        get { nil }
        set {}
    }
}
