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
    /// - Parameter mainStoryboard: the storyboard that `UIMainStoryboardFile` names, of an app without scenes. The app's
    ///   delegate gets a window with its initial view controller.
    /// - Parameter sceneStoryboard: the storyboard that `UISceneStoryboardFile` names. The scene's delegate gets a window
    ///   with its initial view controller.
    public func launch(
        _ delegate: any UIApplicationDelegate, sceneDelegate: (UISceneConfiguration) -> (any UISceneDelegate)?,
        opening url: URL? = nil, mainStoryboard: UIStoryboard? = nil, sceneStoryboard: UIStoryboard? = nil
    ) {
        self.delegate = delegate
        let window = mainStoryboard.map { UIWindow(frame: UIScreen.main.bounds, showing: $0) }
        if let window { delegate.window = window }
        _ = delegate.application(self, willFinishLaunchingWithOptions: nil)
        _ = delegate.application(self, didFinishLaunchingWithOptions: nil)
        if let window, delegate.window === window { window.makeKeyAndVisible() }
        NotificationCenter.default.post(name: UIApplication.didFinishLaunchingNotification, object: self)
        let session = UISceneSession()
        let options = UIScene.ConnectionOptions()
        if let url { options.urlContexts = [UIOpenURLContext(url: url)] }
        session.configuration = delegate.application(self, configurationForConnecting: session, options: options)
        if let sceneDelegate = sceneDelegate(session.configuration) {
            connect(sceneDelegate, to: session, options, storyboard: sceneStoryboard)
        }
        becomeActive()
    }

    /// Connects a scene. (Not in UIKit.)
    @discardableResult
    public func connect(
        _ sceneDelegate: any UISceneDelegate, to session: UISceneSession = UISceneSession(),
        _ options: UIScene.ConnectionOptions = UIScene.ConnectionOptions(), storyboard: UIStoryboard? = nil
    ) -> UIWindowScene {
        let scene = UIWindowScene(session: session, connectionOptions: options)
        session.scene = scene
        scene.delegate = sceneDelegate
        connectedScenes.insert(scene)
        let windowDelegate = sceneDelegate as? any UIWindowSceneDelegate
        let window = storyboard.map { UIWindow(frame: UIScreen.main.bounds, showing: $0) }
        window?.windowScene = scene
        if let window { windowDelegate?.window = window }
        sceneDelegate.scene(scene, willConnectTo: session, options: options)
        // The delegate may have made another window instead.
        if let window, windowDelegate?.window === window { window.makeKeyAndVisible() }
        scene.activationState = .foregroundInactive
        sceneDelegate.sceneWillEnterForeground(scene)
        scene.activationState = .foregroundActive
        sceneDelegate.sceneDidBecomeActive(scene)
        return scene
    }

    /// Ends the app: it goes into the background, is notified that it ends, and loses its scenes and windows. (Not in UIKit.)
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

extension UIWindow {
    /// Makes a window, which is not on screen yet, for the initial view controller of a storyboard.
    fileprivate convenience init(frame: CGRect, showing storyboard: UIStoryboard) {
        self.init(frame: frame)
        rootViewController = storyboard.instantiateInitialViewController()
    }
}
