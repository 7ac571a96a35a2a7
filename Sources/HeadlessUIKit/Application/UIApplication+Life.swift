public import HeadlessViews

extension UIApplication {
    nonisolated public static let didFinishLaunchingNotification = Notification.Name(
        "UIApplicationDidFinishLaunchingNotification")
    nonisolated public static let didBecomeActiveNotification = Notification.Name(
        "UIApplicationDidBecomeActiveNotification")
    nonisolated public static let willResignActiveNotification = Notification.Name(
        "UIApplicationWillResignActiveNotification")
    nonisolated public static let didEnterBackgroundNotification = Notification.Name(
        "UIApplicationDidEnterBackgroundNotification")
    nonisolated public static let willEnterForegroundNotification = Notification.Name(
        "UIApplicationWillEnterForegroundNotification")
    nonisolated public static let willTerminateNotification = Notification.Name(
        "UIApplicationWillTerminateNotification")
    nonisolated public static let didReceiveMemoryWarningNotification = Notification.Name(
        "UIApplicationDidReceiveMemoryWarningNotification")

    /// Launches the app as the system does: first its delegate, then its scene. (Not in UIKit.)
    ///
    /// - Parameter sceneDelegate: makes the scene delegate that the scene's configuration names.
    /// - Parameter url: a deep link that the app is launched with.
    /// - Parameter needsWindow: makes the window before the scene connects, as the system does if `Info.plist` names a
    ///   storyboard.
    public func launch(
        _ delegate: any UIApplicationDelegate, sceneDelegate: (UISceneConfiguration) -> (any UISceneDelegate)?,
        opening url: URL? = nil, needsWindow: Bool = false
    ) {
        self.delegate = delegate
        _ = delegate.application(self, willFinishLaunchingWithOptions: nil)
        _ = delegate.application(self, didFinishLaunchingWithOptions: nil)
        NotificationCenter.default.post(name: UIApplication.didFinishLaunchingNotification, object: self)
        let session = UISceneSession()
        let options = UIScene.ConnectionOptions()
        if let url { options.urlContexts = [UIOpenURLContext(url: url)] }
        session.configuration = delegate.application(self, configurationForConnecting: session, options: options)
        if let sceneDelegate = sceneDelegate(session.configuration) {
            connect(sceneDelegate, to: session, options, needsWindow: needsWindow)
        }
        becomeActive()
    }

    /// Connects a scene. (Not in UIKit.)
    @discardableResult
    public func connect(
        _ sceneDelegate: any UISceneDelegate, to session: UISceneSession = UISceneSession(),
        _ options: UIScene.ConnectionOptions = UIScene.ConnectionOptions(), needsWindow: Bool = false
    ) -> UIWindowScene {
        let scene = UIWindowScene(session: session, connectionOptions: options)
        session.scene = scene
        scene.delegate = sceneDelegate
        connectedScenes.insert(scene)
        if needsWindow, let delegate = sceneDelegate as? any UIWindowSceneDelegate {
            let window = UIWindow(windowScene: scene)
            delegate.window = window
            window.makeKeyAndVisible()
        }
        sceneDelegate.scene(scene, willConnectTo: session, options: options)
        scene.activationState = .foregroundInactive
        sceneDelegate.sceneWillEnterForeground(scene)
        scene.activationState = .foregroundActive
        sceneDelegate.sceneDidBecomeActive(scene)
        return scene
    }

    /// Ends the app: it goes into the background, hears that it ends, and loses its scenes and windows. (Not in UIKit.)
    public func end() {
        enterBackground()
        delegate?.applicationWillTerminate(self)
        NotificationCenter.default.post(name: UIApplication.willTerminateNotification, object: self)
        for window in windows { window.close() }
        connectedScenes = []
        delegate = nil
        applicationState = .active
    }

    private var scenes: [UIScene] {
        connectedScenes.sorted { $0.session.persistentIdentifier < $1.session.persistentIdentifier }
    }

    private func becomeActive() {
        applicationState = .active
        delegate?.applicationDidBecomeActive(self)
        NotificationCenter.default.post(name: UIApplication.didBecomeActiveNotification, object: self)
    }

    /// Acts as if the user had gone to the home screen. (Not in UIKit.)
    public func enterBackground() {
        guard applicationState != .background else { return }
        for scene in scenes {
            scene.delegate?.sceneWillResignActive(scene)
            scene.activationState = .foregroundInactive
        }
        applicationState = .inactive
        delegate?.applicationWillResignActive(self)
        NotificationCenter.default.post(name: UIApplication.willResignActiveNotification, object: self)
        for scene in scenes {
            scene.activationState = .background
            scene.delegate?.sceneDidEnterBackground(scene)
        }
        applicationState = .background
        delegate?.applicationDidEnterBackground(self)
        NotificationCenter.default.post(name: UIApplication.didEnterBackgroundNotification, object: self)
    }

    /// Acts as if the user had come back to the app. (Not in UIKit.)
    public func enterForeground() {
        guard applicationState == .background else { return }
        applicationState = .inactive
        for scene in scenes {
            scene.activationState = .foregroundInactive
            scene.delegate?.sceneWillEnterForeground(scene)
        }
        delegate?.applicationWillEnterForeground(self)
        NotificationCenter.default.post(name: UIApplication.willEnterForegroundNotification, object: self)
        for scene in scenes {
            scene.activationState = .foregroundActive
            scene.delegate?.sceneDidBecomeActive(scene)
        }
        becomeActive()
    }

    /// Acts as if another app had opened a URL of this one: a custom scheme, or a universal link. (Not in UIKit.)
    /// - Returns: false if there is neither a scene nor a delegate to take it.
    @discardableResult
    public func receive(_ url: URL) -> Bool {
        guard let scene = scenes.first, let sceneDelegate = scene.delegate else {
            return delegate?.application(self, open: url, options: [:]) ?? false
        }
        if ["http", "https"].contains(url.scheme) {
            let activity = NSUserActivity(activityType: NSUserActivityTypeBrowsingWeb)
            activity.webpageURL = url
            sceneDelegate.scene(scene, continue: activity)
        } else {
            sceneDelegate.scene(scene, openURLContexts: [UIOpenURLContext(url: url)])
        }
        return true
    }
}
