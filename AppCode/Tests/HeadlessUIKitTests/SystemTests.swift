import Foundation
import HeadlessUIKit
import Testing

extension ScreenTests {
    /// What an app asks the system for. Each test names the place of Apple's documentation that it rests on, in our words.
    @MainActor @Suite struct SystemTests {
        /// `registerForRemoteNotifications()`: if it succeeds, the app's delegate gets the device token in
        /// `application(_:didRegisterForRemoteNotificationsWithDeviceToken:)`.
        @Test func delegate_getsTheDeviceToken() async {
            let (tokens, end) = AsyncStream.makeStream(of: Data.self)
            let delegate = Delegate { end.yield($0) }
            UIApplication.shared.delegate = delegate
            defer { UIApplication.shared.delegate = nil }
            UIApplication.shared.registerForRemoteNotifications()
            #expect(UIApplication.shared.isRegisteredForRemoteNotifications)
            for await token in tokens {
                #expect(token == UIApplication.shared.deviceToken)
                break
            }
        }

        /// `requestAuthorization(options:)` says whether the user allows notifications, and `notificationSettings()` has
        /// the status after that.
        @Test(arguments: [(true, UNAuthorizationStatus.authorized), (false, .denied)])
        func notifications_areAllowed_ifTheUserSaysSo(_ grants: Bool, _ status: UNAuthorizationStatus) async throws {
            let center = UNUserNotificationCenter.current()
            center.grantsAuthorization = grants
            defer { center.grantsAuthorization = true }
            #expect(try await center.requestAuthorization(options: [.alert, .badge]) == grants)
            #expect(await center.notificationSettings().authorizationStatus == status)
        }

        /// Objective-C has one method for each of these with a completion handler and for its async form.
        @Test func notification_reachesEitherFormOfTheDelegate() async throws {
            let center = UNUserNotificationCenter.current()
            defer { center.delegate = nil }
            let (events, end) = AsyncStream.makeStream(of: String.self)
            var all = events.makeAsyncIterator()
            for delegate in [HandlerDelegate { end.yield($0) }, AsyncDelegate { end.yield($0) }] as [any Listener] {
                center.delegate = delegate
                let content = UNMutableNotificationContent()
                content.userInfo = ["path": "/posts"]
                center.deliver(UNNotificationRequest(identifier: "a", content: content, trigger: nil))
                #expect(await all.next() == "presents /posts")
                center.tap(try #require(center.deliveredNotifications.last))
                #expect(await all.next() == "opens /posts")
                #expect(center.deliveredNotifications.isEmpty)
            }
        }

        #if !canImport(ObjectiveC)
            /// `didChangeNotification` is posted after each change of a value, with the defaults as its object.
            @Test func defaults_sayThatTheyHaveChanged() {
                let (defaults, key) = (AppleUserDefaults.standard, "bridged.test.value")
                // nonisolated(unsafe): notifications are posted by the thread that changes the value, which is this one.
                nonisolated(unsafe) var changes: [Bool] = []
                let observer = NotificationCenter.default.addObserver(
                    forName: UserDefaults.didChangeNotification, object: defaults, queue: nil
                ) { _ in changes.append(UserDefaults.standard.object(forKey: key) != nil) }
                defer { NotificationCenter.default.removeObserver(observer) }
                defaults.set("text", forKey: key)
                defaults.set(1, forKey: key)
                defaults.set(1.5, forKey: key)
                defaults.set(true, forKey: key)
                defaults.set(URL(filePath: "/folder"), forKey: key)
                UserDefaults.appleStandard.setValue("coded", forKey: key)
                #expect(UserDefaults.standard.value(forKey: key) as? String == "coded")
                defaults.removeObject(forKey: key)
                #expect(changes == [true, true, true, true, true, true, false])
            }
        #endif

        /// `open(_:options:completionHandler:)`: the handler runs later, with whether the URL was opened. With
        /// `universalLinksOnly` it is opened only if an app is installed for it.
        @Test func urlForTheSystem_isNoted() async {
            let (results, end) = AsyncStream.makeStream(of: Bool.self)
            let url = URL(string: "mailto:a@example.com")!
            UIApplication.shared.open(url) { end.yield($0) }
            UIApplication.shared.open(
                URL(string: "https://example.com")!, options: [.universalLinksOnly: true]
            ) { end.yield($0) }
            #expect(UIApplication.shared.openedURLs.last == url)
            var all: [Bool] = []
            for await result in results {
                all.append(result)
                if all.count == 2 { break }
            }
            #expect(all == [true, false])
        }

        /// `scene(_:continue:)` gets a universal link as an activity of the type `NSUserActivityTypeBrowsingWeb` with its
        /// `webpageURL`.
        @Test func universalLink_isAnActivity() {
            let delegate = LinkDelegate()
            // The scenes of other tests would take the link.
            UIApplication.shared.end()
            UIApplication.shared.connect(delegate)
            defer { UIApplication.shared.end() }
            #expect(UIApplication.shared.receive(URL(string: "https://example.com/posts/1")!))
            #expect(delegate.links == ["NSUserActivityTypeBrowsingWeb https://example.com/posts/1"])
        }

        /// `UINotificationFeedbackGenerator.notificationOccurred(_:)`, `UIImpactFeedbackGenerator.impactOccurred()`,
        /// `UISelectionFeedbackGenerator.selectionChanged()`: each plays haptics, which are noted here.
        @Test func haptics_areNoted() {
            UINotificationFeedbackGenerator().notificationOccurred(.warning)
            UIImpactFeedbackGenerator(style: .heavy).impactOccurred()
            UISelectionFeedbackGenerator().selectionChanged()
            #expect(Haptics.shared.played.suffix(3) == ["notification warning", "impact heavy", "selection"])
        }

        /// `AppStore.requestReview(in:)` asks StoreKit to show a request for a review, which it may do or not.
        @Test func requestForAReview_isNoted() {
            let before = AppStore.reviewRequests
            AppStore.requestReview(in: UIApplication.shared.connect(LinkDelegate()))
            defer { UIApplication.shared.end() }
            #expect(AppStore.reviewRequests == before + 1)
        }

        /// `UIActivityViewController.completionWithItemsHandler` is called after the sheet is dismissed; `completed` is false
        /// if the user has chosen no service.
        @Test func shareSheet_saysThatNothingWasShared() async throws {
            let root = UIViewController()
            try await Screen.run(root) { _ in
                let sheet = UIActivityViewController(activityItems: ["text"], applicationActivities: nil)
                var completed: [Bool] = []
                sheet.completionWithItemsHandler = { _, isCompleted, _, _ in completed.append(isCompleted) }
                root.present(sheet, animated: true)
                await Transitions.shared.settled()
                #expect(sheet.swipeDown())
                await Transitions.shared.settled()
                #expect(completed == [false])
                #expect(root.presentedViewController == nil)
            }
        }

        /// `safariViewControllerDidFinish(_:)`: the user has dismissed the view.
        @Test func safariSheet_isDismissedByDone() async throws {
            let (root, delegate) = (UIViewController(), SafariDelegate())
            try await Screen.run(root) { _ in
                let sheet = SFSafariViewController(url: URL(string: "https://example.com")!)
                sheet.delegate = delegate
                root.present(sheet, animated: true)
                await Transitions.shared.settled()
                sheet.tapDone()
                await Transitions.shared.settled()
                #expect(delegate.count == 1 && root.presentedViewController == nil)
            }
        }
    }
}

private final class Delegate: UIResponder, UIApplicationDelegate {
    private let receive: (Data) -> Void

    init(_ receive: @escaping (Data) -> Void) { self.receive = receive }

    func application(
        _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) { receive(deviceToken) }
}

private final class LinkDelegate: UIResponder, UIWindowSceneDelegate {
    var links: [String] = []

    func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {
        links.append("\(userActivity.activityType) \(userActivity.webpageURL?.absoluteString ?? "")")
    }
}

private final class SafariDelegate: NSObject, SFSafariViewControllerDelegate {
    var count = 0

    func safariViewControllerDidFinish(_ controller: SFSafariViewController) { count += 1 }
}

private typealias Listener = UNUserNotificationCenterDelegate

extension UNNotification {
    fileprivate var path: String { request.content.userInfo["path"] as? String ?? "" }
}

private final class HandlerDelegate: NSObject, UNUserNotificationCenterDelegate {
    private let note: (String) -> Void

    init(_ note: @escaping (String) -> Void) { self.note = note }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    ) {
        note("opens \(response.notification.path)")
        completionHandler()
    }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) {
        note("presents \(notification.path)")
        completionHandler([.banner])
    }
}

private final class AsyncDelegate: NSObject, UNUserNotificationCenterDelegate {
    private let note: (String) -> Void

    init(_ note: @escaping (String) -> Void) { self.note = note }

    func userNotificationCenter(_ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse) async {
        note("opens \(response.notification.path)")
    }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions {
        note("presents \(notification.path)")
        return []
    }
}
