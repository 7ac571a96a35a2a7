public import Foundation
public import HeadlessUIKit

/// An app whose scenes are declared. `bridged run` launches it; there is one window, that of the first `WindowGroup`.
@preconcurrency @MainActor public protocol App {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }
    init()
}

@preconcurrency @MainActor public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }
}

extension Never: Scene {}

/// A scene of SwiftUI itself.
@MainActor protocol PrimitiveScene: Scene {
    /// What its window shows; nil if it has none on a phone.
    var windowContent: (any View)? { get }
}

extension PrimitiveScene {
    public var body: Never { noBody() }
}

extension Scene {
    var content: (any View)? {
        if let primitive = self as? any PrimitiveScene { return primitive.windowContent }
        return body.content
    }
}

public struct WindowGroup<Content: View>: Scene, PrimitiveScene {
    private let make: () -> Content

    public init(@ViewBuilder content: @escaping () -> Content) { make = content }
    public init(id: String, @ViewBuilder content: @escaping () -> Content) { make = content }
    public init(_ title: LocalizedStringKey, id: String = "", @ViewBuilder content: @escaping () -> Content) {
        make = content
    }

    var windowContent: (any View)? {
        let make = make
        return DeferredView { make() }
    }
}

/// Several scenes. The first with a window is shown.
public struct SceneList: Scene, PrimitiveScene {
    let windowContent: (any View)?
}

@preconcurrency @MainActor @resultBuilder public enum SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
    public static func buildBlock<First: Scene, each Content: Scene>(
        _ first: First, _ content: repeat each Content
    ) -> SceneList {
        var found = first.content
        repeat found = found ?? (each content).content
        return SceneList(windowContent: found)
    }
}

extension Scene {
    private func changed(_ change: (any View) -> any View) -> SceneList {
        SceneList(windowContent: content.map(change))
    }

    public func onChange<Value: Equatable>(of value: Value, perform action: @escaping (Value) -> Void) -> some Scene {
        changed { AnyView(erasing: $0).onChange(of: value, perform: action) }
    }
    public func onChange<Value: Equatable>(
        of value: Value, initial: Bool = false, _ action: @escaping (Value, Value) -> Void
    ) -> some Scene { changed { AnyView(erasing: $0).onChange(of: value, initial: initial, action) } }
    public func onChange<Value: Equatable>(
        of value: Value, initial: Bool = false, _ action: @escaping () -> Void
    ) -> some Scene { changed { AnyView(erasing: $0).onChange(of: value, initial: initial, action) } }
    public func environmentObject<Object: ObservableObject>(_ object: Object) -> some Scene {
        changed { AnyView(erasing: $0).environmentObject(object) }
    }
    public func environment<Object: AnyObject & Observable>(_ object: Object?) -> some Scene {
        changed { AnyView(erasing: $0).environment(object) }
    }
    public func commands(@ViewBuilder content: () -> some View) -> some Scene { self }
    public func handlesExternalEvents(matching conditions: Set<String>) -> some Scene { self }
}

/// Makes the app's delegate. `prepare-app` writes an instance where the app names the type, because Linux cannot make one.
@preconcurrency @MainActor @propertyWrapper
public struct UIApplicationDelegateAdaptor<DelegateType: NSObject & UIApplicationDelegate>: DynamicProperty {
    public let wrappedValue: DelegateType

    public init(_ delegate: DelegateType) {
        wrappedValue = delegate
        AppLauncher.delegate = delegate
    }

    public var projectedValue: UIApplicationDelegateAdaptor<DelegateType> { self }
}

/// The view of an app: that of its first window.
private struct AppView<Content: App>: View, WrappingView {
    let app: Content

    var body: some View { app.body.content.map { AnyView(erasing: $0) } }
}

/// Launches an app that is a `@main struct … : App`. (Not in SwiftUI.)
@MainActor public enum AppLauncher {
    static var delegate: (any UIApplicationDelegate)?
    private static var makeWindow: (() -> UIHostingController<AnyView>)?

    /// Makes the app, and returns its delegate.
    public static func start<Content: App>(_ make: () -> Content) -> any UIApplicationDelegate {
        let app = make()
        let delegate = delegate ?? EmptyDelegate()
        self.delegate = delegate
        makeWindow = { makeController(for: Screen(AppView(app: app))) }
        return delegate
    }

    /// Makes the delegate of the app's scene, which shows its window.
    /// - Parameter own: the scene delegate that the app's delegate has named.
    public static func sceneDelegate(with own: (any UISceneDelegate)?) -> any UISceneDelegate {
        AppSceneDelegate(own: own, makeWindow)
    }

    private final class EmptyDelegate: UIResponder, UIApplicationDelegate {}
}

/// Shows the window of an app of SwiftUI, and passes everything on to the scene delegate that the app may have.
private final class AppSceneDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?
    private let own: (any UISceneDelegate)?
    private let makeController: (() -> UIHostingController<AnyView>)?

    init(own: (any UISceneDelegate)?, _ makeController: (() -> UIHostingController<AnyView>)?) {
        (self.own, self.makeController) = (own, makeController)
    }

    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions
    ) {
        if let scene = scene as? UIWindowScene, let controller = makeController?() {
            let window = UIWindow(windowScene: scene)
            window.rootViewController = controller
            self.window = window
            window.makeKeyAndVisible()
        }
        own?.scene(scene, willConnectTo: session, options: connectionOptions)
        for context in connectionOptions.urlContexts { open(context.url) }
    }

    func scene(_ scene: UIScene, openURLContexts contexts: Set<UIOpenURLContext>) {
        for context in contexts.sorted(by: { $0.url.absoluteString < $1.url.absoluteString }) { open(context.url) }
        own?.scene(scene, openURLContexts: contexts)
    }

    func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {
        if let url = userActivity.webpageURL { open(url) }
        own?.scene(scene, continue: userActivity)
    }

    private func open(_ url: URL) {
        // The views that take it are there after the first turn.
        Transitions.shared.beforeNext { URLHandlers.open(url) }
    }

    private func set(_ phase: ScenePhase) {
        (window?.rootViewController as? UIHostingController<AnyView>)?.screen.set(phase)
    }

    func sceneDidBecomeActive(_ scene: UIScene) {
        set(.active)
        own?.sceneDidBecomeActive(scene)
    }
    func sceneWillResignActive(_ scene: UIScene) {
        set(.inactive)
        own?.sceneWillResignActive(scene)
    }
    func sceneWillEnterForeground(_ scene: UIScene) { own?.sceneWillEnterForeground(scene) }
    func sceneDidEnterBackground(_ scene: UIScene) {
        set(.background)
        own?.sceneDidEnterBackground(scene)
    }
    func sceneDidDisconnect(_ scene: UIScene) { own?.sceneDidDisconnect(scene) }
}

extension Screen {
    fileprivate func set(_ phase: ScenePhase) {
        var environment = root.environment
        guard environment.scenePhase != phase, let node = root as? TypedNode<AnyView> else { return }
        environment.scenePhase = phase
        node.receive(node.value, environment)
        Updates.schedule()
    }
}
