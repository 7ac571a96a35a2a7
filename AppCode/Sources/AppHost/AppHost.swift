import BridgeProtocol
package import BridgeServer
import BridgeWebKit
import Foundation
public import HeadlessUIKit
import Logging

/// Runs an app's own Swift: its web views get their pages from a daemon in this process, and tools see and control its
/// real view controllers.
///
/// `bridged run` links it into the app. The environment says where the daemon listens (`BRIDGED_PORT`, 2734 if it is not
/// set), where it logs (`BRIDGED_LOG`), and what the app finds on the phone (`BRIDGED_PHONE`).
@MainActor public enum AppHost {
    /// The server does not retain its app.
    private static var app: HostedApp?
    /// The test that uses the app, if this process runs one. It opens the windows of the app's web views.
    package static var test: (any AppTest)?

    /// Launches the app on the main thread, and serves until a signal ends it.
    ///
    /// - Parameter delegate: makes the app's delegate.
    /// - Parameter sceneDelegate: makes the scene delegate of the name that the scene's configuration or `Info.plist` has,
    ///   or the app's only one if the name is empty. It returns nil if there is none.
    nonisolated public static func run(
        delegate: @escaping @MainActor () -> any UIApplicationDelegate,
        sceneDelegate: @escaping @MainActor (String) -> (any UISceneDelegate)?
    ) {
        // Problems are part of the traffic, which `bridged run` shows.
        if ProcessInfo.processInfo.environment["BRIDGED_SHOWS_TRAFFIC"] != nil {
            LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
        }
        MainActor.assumeIsolated {
            do {
                let server = try makeServer()
                let app = hosted(on: server)
                if let test {
                    try test.willLaunch(server)
                } else {
                    let windows = BrowserWindows(of: server)
                    app.onSettled = { windows.openMissing() }
                }
                try server.runOnMainThread { address in
                    if test == nil { say("The app's web views get the pages that attach to \(address.url)") }
                    launch(delegate(), sceneDelegate)
                    test?.didLaunch(app)
                }
            } catch {
                say("error: \(error)")
                exit(1)
            }
        }
    }

    /// Makes the app that a server shows to tools.
    package static func makeApp(on server: BridgeServer) -> any ControllableApp { hosted(on: server) }

    private static func hosted(on server: BridgeServer) -> HostedApp {
        let app = HostedApp(server)
        AppHost.app = app
        server.app = app
        BridgeServer.shared = server
        return app
    }

    private static func makeServer() throws -> BridgeServer {
        let environment = ProcessInfo.processInfo.environment
        var configuration = BridgeServer.Configuration()
        configuration.port = environment["BRIDGED_PORT"].flatMap(UInt16.init) ?? 2734
        configuration.logPath = environment["BRIDGED_LOG"]
        if let origin = environment["BRIDGED_APP_ORIGIN"], !origin.isEmpty { configuration.appOrigins = [origin] }
        return try BridgeServer(configuration)
    }

    private static func launch(
        _ delegate: any UIApplicationDelegate, _ sceneDelegate: @MainActor (String) -> (any UISceneDelegate)?
    ) {
        registerInterfaces()
        if let text = ProcessInfo.processInfo.environment["BRIDGED_PHONE"], !text.isEmpty { preparePhone(text) }
        let info = InfoPlist(Bundle.main)
        UIApplication.shared.launch(
            delegate,
            sceneDelegate: { configuration in
                let name = configuration.delegateClass.map { "\($0)" } ?? info.sceneDelegateName
                return sceneDelegate(name ?? "")
            },
            mainStoryboard: info.mainStoryboard.map { UIStoryboard(name: $0, bundle: nil) },
            sceneStoryboard: info.sceneStoryboard.map { UIStoryboard(name: $0, bundle: nil) })
        if UIApplication.shared.windows.isEmpty {
            say(
                "warning: The app shows no window. It has no scene delegate that Info.plist names, and its delegate makes "
                    + "none in application(_:didFinishLaunchingWithOptions:).")
        }
    }

    /// Does what a test could do by actions, before the app begins.
    /// - Parameter text: an object of JSON, with `latitude` and `longitude`, and with `biometry` and an `answer`.
    package static func preparePhone(_ text: String) {
        guard let phone = try? JSON.parse(text) else { return say("warning: BRIDGED_PHONE is not JSON: \(text)") }
        if let latitude = phone["latitude"]?.number, let longitude = phone["longitude"]?.number {
            CLLocationManager.movePhone(to: CLLocation(latitude: latitude, longitude: longitude))
        }
        guard let type = phone["biometry"]?.string else { return }
        UserRecognition.shared.enroll(type == "touchID" ? .touchID : .faceID, answer: phone["answer"]?.string)
    }

    /// Lets storyboards and nibs have web views.
    static func registerInterfaces() {
        for name in ["wkWebView", "WKWebView"] {
            InterfaceViews.makers[name] = { WKWebView(frame: .zero, configuration: WKWebViewConfiguration()) }
        }
        let table = InterfaceTable(
            WKWebView.self,
            outlets: [
                "navigationDelegate": .init(\WKWebView.navigationDelegate), "UIDelegate": .init(\WKWebView.uiDelegate),
            ],
            actions: [
                "goBack": Selector("goBack") { (view: WKWebView) in { _ = view.goBack() } },
                "goForward": Selector("goForward") { (view: WKWebView) in { _ = view.goForward() } },
                "reload": Selector("reload") { (view: WKWebView) in { _ = view.reload() } },
                "stopLoading": Selector("stopLoading") { (view: WKWebView) in { view.stopLoading() } },
            ])
        InterfaceTable.register([table])
    }

    private static func say(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}

/// A test that uses an app in this process.
@MainActor package protocol AppTest: AnyObject {
    /// The server does not listen yet, and the app makes its first web views soon.
    func willLaunch(_ server: BridgeServer) throws
    func didLaunch(_ app: any ControllableApp)
}

/// What an app's `Info.plist` says about its scene.
struct InfoPlist {
    let sceneDelegateName: String?
    /// The storyboard of which the system makes the first window, if the app has scenes.
    let sceneStoryboard: String?
    /// The storyboard of which the system makes the first window, if the app has no scenes.
    let mainStoryboard: String?

    init(_ bundle: Bundle) {
        let file = bundle.url(forResource: "Info", withExtension: "plist")
        let data = file.flatMap { try? Data(contentsOf: $0) }
        let plist = data.flatMap { try? PropertyListSerialization.propertyList(from: $0, format: nil) }
        self.init(plist as? [String: Any] ?? bundle.infoDictionary ?? [:])
    }

    init(_ info: [String: Any]) {
        let manifest = info["UIApplicationSceneManifest"] as? [String: Any]
        let scenes = manifest?["UISceneConfigurations"] as? [String: Any]
        let configurations = scenes?["UIWindowSceneSessionRoleApplication"] as? [[String: Any]]
        let first = configurations?.first
        // `$(PRODUCT_MODULE_NAME).SceneDelegate`
        sceneDelegateName = (first?["UISceneDelegateClassName"] as? String)?.split(separator: ".").last.map(String.init)
        sceneStoryboard = first?["UISceneStoryboardFile"] as? String
        mainStoryboard = first == nil ? info["UIMainStoryboardFile"] as? String : nil
    }
}
