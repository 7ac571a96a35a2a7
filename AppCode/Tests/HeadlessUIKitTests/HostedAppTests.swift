import BridgeProtocol
import BridgeServer
import Foundation
import HeadlessUIKit
import Testing

@testable import AppHost

extension ScreenTests {
    /// A real app's screens as tools see and control them.
    @MainActor @Suite struct HostedAppTests {
        @Test func state_showsStacksTabsButtonsAndAlerts() async throws {
            try await withApp { app, tabs in
                let stack = try #require(tabs.viewControllers?.first as? UINavigationController)
                let screen = UIViewController()
                screen.title = "Posts"
                let menu = UIMenu(children: [UIAction(title: "Archive") { _ in }])
                screen.navigationItem.rightBarButtonItem = UIBarButtonItem(title: "More", menu: menu)
                stack.pushViewController(screen, animated: true)
                screen.present(UIAlertController(title: "Sure?", message: nil, preferredStyle: .alert), animated: true)
                await Transitions.shared.settled()
                let state = JSONValue.object(app.state)
                #expect(state["main"]?.elements?.compactMap { $0["title"]?.string } == ["Home", "Posts"])
                #expect(state["main"]?.elements?.last?["barButtons"]?.elements?.first?["menu"] == ["Archive"])
                #expect(state["alerts"]?.elements?.first?["title"] == "Sure?")
                #expect(state["tabs"]?.elements?.map { $0["title"] } == ["First", "Second"])
            }
        }

        @Test func taps_reachButtonsMenusRowsAndAlerts() async throws {
            try await withApp { app, tabs in
                let stack = try #require(tabs.viewControllers?.first as? UINavigationController)
                var tapped: [String] = []
                let item = try #require(stack.topViewController?.navigationItem)
                item.leftBarButtonItem = UIBarButtonItem(
                    primaryAction: UIAction(title: "Edit") { _ in tapped.append("Edit") })
                item.rightBarButtonItem = UIBarButtonItem(
                    title: "More",
                    menu: UIMenu(children: [UIAction(title: "Archive") { _ in tapped.append("Archive") }]))
                try await perform(app, "tap", ["text": "Edit"])
                try await perform(app, "tap", ["text": "Archive"])
                #expect(tapped == ["Edit", "Archive"])

                let alert = UIAlertController(title: "Sure?", message: nil, preferredStyle: .alert)
                alert.addAction(UIAlertAction(title: "Yes", style: .default) { _ in tapped.append("Yes") })
                stack.present(alert, animated: true)
                await Transitions.shared.settled()
                try await perform(app, "answerAlert", ["button": "Yes"])
                #expect(tapped.last == "Yes" && stack.presentedViewController == nil)

                try await perform(app, "tapTab", ["tab": "Second"])
                #expect(tabs.selectedIndex == 1)
            }
        }

        /// Small browsers have their buttons in a bar that is a view.
        @Test func taps_reachBarsInViews() async throws {
            try await withApp { app, tabs in
                let stack = try #require(tabs.viewControllers?.first as? UINavigationController)
                let view = try #require(stack.topViewController?.view)
                var tapped: [String] = []
                @MainActor func button(_ title: String?, _ name: String) -> UIBarButtonItem {
                    UIBarButtonItem(title: title, primaryAction: UIAction { _ in tapped.append(name) })
                }
                let toolbar = UIToolbar()
                let back = button(nil, "Back")
                back.accessibilityLabel = "Back one page"
                back.accessibilityIdentifier = "back"
                toolbar.items = [back, .flexibleSpace(), button("Reload", "Reload")]
                view.addSubview(toolbar)
                let bar = UINavigationBar()
                let item = UINavigationItem(title: "Browser")
                item.rightBarButtonItem = button("Close", "Close")
                bar.items = [item]
                view.addSubview(bar)
                let shown = JSONValue.object(app.state)["main"]?.elements?.last?["barButtons"]?.elements
                #expect(shown?.compactMap { $0["title"]?.string } == ["Back one page", "Reload", "Close"])
                for name in ["back", "Reload", "Close"] { try await perform(app, "tap", ["text": name]) }
                #expect(tapped == ["Back", "Reload", "Close"])
                toolbar.isHidden = true
                let error = #expect(throws: ActionRefusal.self) { try app.perform("tap", ["text": "Reload"]) }
                #expect(error.map { "\($0)" }?.contains("Close") == true)
            }
        }

        @Test func notification_isShown_andATapOpensIt() async throws {
            let (opened, end) = AsyncStream.makeStream(of: String.self)
            let delegate = NotificationDelegate { end.yield($0) }
            UNUserNotificationCenter.current().delegate = delegate
            defer { UNUserNotificationCenter.current().delegate = nil }
            try await withApp { app, _ in
                try await perform(app, "notify", ["title": "News", "userInfo": #"{"path": "/news"}"#])
                #expect(JSONValue.object(app.state)["notifications"] == [["title": "News", "body": ""]])
                let error = #expect(throws: ActionRefusal.self) { try app.perform("tapNotification", ["text": "Old"]) }
                #expect(error.map { "\($0)" }?.contains("There are: 'News'") == true)
                try await perform(app, "background", [:])
                try await perform(app, "tapNotification", ["text": "News"])
                for await path in opened {
                    #expect(path == "/news")
                    break
                }
                #expect(JSONValue.object(app.state)["notifications"] == [])
                #expect(UIApplication.shared.applicationState == .active)
            }
        }

        /// `locationManagerDidChangeAuthorization(_:)` comes before the first place.
        @Test func movedPhone_tellsAppsItsPlace() async throws {
            let (places, end) = AsyncStream.makeStream(of: String.self)
            let delegate = PlaceDelegate { end.yield($0) }
            let manager = CLLocationManager()
            manager.delegate = delegate
            manager.startUpdatingLocation()
            try await withApp { app, _ in
                var all = places.makeAsyncIterator()
                #expect(await all.next() == "denied")
                try await perform(app, "location.move", ["latitude": "48.85", "longitude": "2.35"])
                #expect(await all.next() == "allowed")
                #expect(await all.next() == "48.85 2.35")
                manager.stopUpdatingLocation()
                try await perform(app, "location.move", ["latitude": "1", "longitude": "2"])
                manager.requestLocation()
                #expect(await all.next() == "1.0 2.0")
            }
            CLLocationManager.losePhone()
        }

        /// The answers of the simulator: nobody is enrolled, then the user is known, is not, and cancels.
        @Test func userIsRecognized_orNot() async throws {
            defer { UserRecognition.shared.reset() }
            try await withApp { app, _ in
                let context = LAContext()
                var reason: NSError?
                #expect(!context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: &reason))
                #expect(reason?.domain == LAErrorDomain && reason?.code == LAError.biometryNotEnrolled.rawValue)
                #expect(!context.canEvaluatePolicy(.deviceOwnerAuthentication, error: nil))
                #expect(await outcome(context) == "biometryNotEnrolled")
                try app.perform("biometry.enroll", [:])
                #expect(context.canEvaluatePolicy(.deviceOwnerAuthentication, error: nil))
                #expect(context.biometryType == .faceID)
                context.localizedCancelTitle = "Not now"
                for (button, expected) in [
                    ("Match", "true"), ("No match", "authenticationFailed"), ("Not now", "userCancel"),
                    ("Enter Password", "userFallback"),
                ] {
                    async let result = outcome(context)
                    let alert = try await question(app)
                    #expect(alert["title"] == "Face ID" && alert["message"] == "Unlock")
                    #expect(alert["buttons"] == ["Match", "No match", "Enter Password", "Not now"])
                    #expect(throws: ActionRefusal.self) { try app.perform("answerAlert", ["button": "OK"]) }
                    try app.perform("answerAlert", ["button": button])
                    #expect(await result == expected)
                }
                #expect(JSONValue.object(app.state)["alerts"] == [])
                async let ended = outcome(context)
                _ = try await question(app)
                context.invalidate()
                #expect(await ended == "appCancel")
                context.interactionNotAllowed = true
                #expect(await outcome(context) == "notInteractive")
            }
        }

        /// What `phone` in bridged.yml says. Nobody is asked.
        @Test func appFindsOnThePhone_whatTheConfigurationSays() async throws {
            defer {
                UserRecognition.shared.reset()
                CLLocationManager.losePhone()
            }
            try await withApp { app, _ in
                AppHost.preparePhone(
                    #"{"latitude":48.85,"longitude":2.35,"biometry":"touchID","answer":"No match"}"#)
                #expect(CLLocationManager().location?.coordinate.latitude == 48.85)
                #expect(CLLocationManager.authorizationStatus() == .authorizedWhenInUse)
                let context = LAContext()
                #expect(context.biometryType == .touchID)
                #expect(await outcome(context) == "authenticationFailed")
                // An answer that a question does not have is no answer.
                AppHost.preparePhone(#"{"biometry":"faceID","answer":"Perhaps"}"#)
                async let result = outcome(context)
                _ = try await question(app)
                try app.perform("answerAlert", ["button": "Match"])
                #expect(await result == "true")
            }
        }

        private func outcome(_ context: LAContext) async -> String {
            do {
                let policy = LAPolicy.deviceOwnerAuthenticationWithBiometrics
                return "\(try await context.evaluatePolicy(policy, localizedReason: "Unlock"))"
            } catch let error as LAError {
                return "\(error.code)"
            } catch {
                return "\(error)"
            }
        }

        /// The question that the user sees.
        private func question(_ app: HostedApp) async throws -> JSONValue {
            while UserRecognition.shared.question == nil { try await Task.sleep(for: .milliseconds(1)) }
            return try #require(JSONValue.object(app.state)["alerts"]?.elements?.first)
        }

        @Test(arguments: [
            ("biometry.enroll", ["type": "nose"], "is not faceID or touchID"),
            ("tapNotification", [:], "no notification is shown"),
            ("location.move", ["latitude": "91", "longitude": "x"], "are no place"),
            ("notify", ["userInfo": "[1]"], "no object of JSON"), ("tap", ["text": "Nothing"], "shows 'Nothing'"),
            ("back", [:], "no back button"),
            ("dismissModal", [:], "nothing is presented"), ("answerAlert", ["button": "OK"], "no alert"),
            ("tapTab", ["tab": "Third"], "The tabs: First, Second"), ("search", ["text": "x"], "no search bar"),
            ("pullToRefresh", [:], "no refresh control"), ("visit", ["url": "/posts"], "has no web view"),
        ])
        func refusals_sayWhy(_ action: String, _ arguments: [String: String], _ reason: String) async throws {
            try await withApp { app, _ in
                let error = #expect(throws: ActionRefusal.self) { try app.perform(action, arguments) }
                #expect(error.map { "\($0)" }?.contains(reason) == true)
            }
        }

        @Test func infoPlist_namesTheSceneDelegateAndTheStoryboard() {
            let scene = [
                "UISceneDelegateClassName": "$(PRODUCT_MODULE_NAME).SceneDelegate", "UISceneStoryboardFile": "Main",
            ]
            let manifest = ["UISceneConfigurations": ["UIWindowSceneSessionRoleApplication": [scene]]]
            let info = InfoPlist(["UIApplicationSceneManifest": manifest])
            #expect(info.sceneDelegateName == "SceneDelegate" && info.sceneStoryboard == "Main")
            #expect(info.mainStoryboard == nil)
            #expect(InfoPlist([:]).sceneDelegateName == nil)
            #expect(InfoPlist(["UIMainStoryboardFile": "Main"]).mainStoryboard == "Main")
        }

        private func perform(_ app: HostedApp, _ action: String, _ arguments: [String: String]) async throws {
            try await app.perform(action, arguments).arrive()
        }

        /// Runs `body` with an app of two tabs, of which the first is a stack with a screen named Home.
        private func withApp(_ body: @MainActor (HostedApp, UITabBarController) async throws -> Void) async throws {
            let app = HostedApp(try BridgeServer())
            let home = UIViewController()
            home.title = "Home"
            let stack = UINavigationController(rootViewController: home)
            stack.tabBarItem = UITabBarItem(title: "First", image: nil, tag: 0)
            let second = UIViewController()
            second.title = "Second"
            let tabs = UITabBarController()
            tabs.viewControllers = [stack, second]
            try await Screen.run(tabs) { _ in try await body(app, tabs) }
        }
    }
}

private final class NotificationDelegate: NSObject, UNUserNotificationCenterDelegate {
    private let opened: (String) -> Void

    init(_ opened: @escaping (String) -> Void) { self.opened = opened }

    func userNotificationCenter(_ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse) async {
        opened(response.notification.request.content.userInfo["path"] as? String ?? "")
    }
}

private final class PlaceDelegate: NSObject, CLLocationManagerDelegate {
    private let note: (String) -> Void

    init(_ note: @escaping (String) -> Void) { self.note = note }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        for place in locations.map(\.coordinate) { note("\(place.latitude) \(place.longitude)") }
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) { note("denied") }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        note(manager.authorizationStatus == .denied ? "denied again" : "allowed")
    }
}
