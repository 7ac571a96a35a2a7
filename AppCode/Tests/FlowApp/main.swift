import AppHost
import AppTesting
import BridgeTesting
import BridgeTraffic
import Foundation
import UIKit
import WebKit

/// The screen with the app's web view. A message with a title pushes a screen.
final class WebScreen: UIViewController, WKScriptMessageHandler {
    static let start = "\(ProcessInfo.processInfo.environment["BRIDGED_APP_ORIGIN"] ?? "http://localhost:3000")/"

    override func viewDidLoad() {
        super.viewDidLoad()
        title = "Start"
        let configuration = WKWebViewConfiguration()
        configuration.userContentController.add(self, name: "app")
        let webView = WKWebView(frame: .zero, configuration: configuration)
        view.addSubview(webView)
        guard let url = URL(string: WebScreen.start) else { fatalError("BRIDGED_APP_ORIGIN is no origin.") }
        webView.load(URLRequest(url: url))
    }

    func userContentController(_ controller: WKUserContentController, didReceive message: WKScriptMessage) {
        guard let title = (message.body as? [String: Any])?["title"] as? String else { return }
        if title == "Crash" { exit(3) }
        if title == "Launches" { return count() }
        let screen = UIViewController()
        screen.title = title
        screen.navigationItem.rightBarButtonItem = UIBarButtonItem(
            primaryAction: UIAction(title: "Done") { [weak self] _ in
                self?.navigationController?.popViewController(animated: true)
            })
        navigationController?.pushViewController(screen, animated: true)
    }
}

/// A screen with HTML of the app's own, as many apps without a server have.
final class OwnPageScreen: UIViewController {
    override func viewDidLoad() {
        super.viewDidLoad()
        title = "Own page"
        let webView = WKWebView(frame: .zero, configuration: WKWebViewConfiguration())
        view.addSubview(webView)
        webView.loadHTMLString("<!doctype html><title>Own</title><p>No server</p>", baseURL: nil)
    }
}

extension WebScreen {
    /// Shows how often this was called since the app was installed: in settings, and in a file.
    fileprivate func count() {
        let settings = UserDefaults.standard.integer(forKey: "count") + 1
        UserDefaults.standard.set(settings, forKey: "count")
        let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask)
        let file = caches[0].appendingPathComponent("count")
        let bytes = ((try? Data(contentsOf: file)) ?? Data()) + [0]
        try? bytes.write(to: file)
        title = "Settings \(settings), file \(bytes.count)"
    }
}

final class SceneDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?

    func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions) {
        guard let scene = scene as? UIWindowScene else { return }
        let window = UIWindow(windowScene: scene)
        let ownPage = ProcessInfo.processInfo.environment["FLOW_APP_OWN_PAGE"] != nil
        window.rootViewController = UINavigationController(
            rootViewController: ownPage ? OwnPageScreen() : WebScreen())
        window.makeKeyAndVisible()
        self.window = window
    }
}

final class AppDelegate: UIResponder, UIApplicationDelegate {}

// A test in Swift, instead of a flow.
if CommandLine.arguments.contains("--with-app") {
    Task { @MainActor in
        for _ in 1...2 {
            let title = try await withApp(AppDelegate(), sceneDelegate: SceneDelegate()) { app in
                try await app.open(WebScreen.start)
                try await app.tap(.text("Push"))
                _ = try await app.nextRecord(.init([.init(.kind, "message")]))
                await Transitions.shared.settled()
                return app.app?.state.first { $0.key == "title" }?.value.string
            }
            print(title ?? "no title")
        }
        exit(0)
    }
    RunLoop.main.run()
}

AppHost.run(delegate: { AppDelegate() }, sceneDelegate: { _ in SceneDelegate() })
