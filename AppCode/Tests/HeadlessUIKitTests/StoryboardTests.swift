import Foundation
import HeadlessUIKit
import Testing

extension ScreenTests {
    @MainActor @Suite struct StoryboardTests {
        private let main = """
            <?xml version="1.0" encoding="UTF-8"?>
            <document type="com.apple.InterfaceBuilder3.CocoaTouch.Storyboard.XIB" initialViewController="tabs">
              <scenes>
                <scene><objects>
                  <tabBarController id="tabs" sceneMemberID="viewController">
                    <connections>
                      <segue destination="stack" kind="relationship" relationship="viewControllers" id="1"/>
                      <segue destination="other" kind="relationship" relationship="viewControllers" id="2"/>
                    </connections>
                  </tabBarController>
                  <placeholder placeholderIdentifier="IBFirstResponder" sceneMemberID="firstResponder"/>
                </objects></scene>
                <scene><objects>
                  <navigationController id="stack" sceneMemberID="viewController">
                    <tabBarItem key="tabBarItem" title="Home" id="3"/>
                    <connections>
                      <segue destination="home" kind="relationship" relationship="rootViewController" id="4"/>
                    </connections>
                  </navigationController>
                </objects></scene>
                <scene><objects>
                  <viewController id="home" customClass="StoryboardScreen" customModule="HeadlessUIKitTests"
                                  storyboardIdentifier="Home" sceneMemberID="viewController">
                    <view key="view" id="5"><subviews><label text="x" id="6"/></subviews></view>
                    <navigationItem key="navigationItem" title="Posts" id="7"/>
                  </viewController>
                </objects></scene>
                <scene><objects>
                  <viewController id="other" title="Other" customClass="Missing" customModule="Elsewhere"
                                  sceneMemberID="viewController"/>
                </objects></scene>
              </scenes>
            </document>
            """

        /// Runs `body` with a bundle that has the file `Main.storyboard`, and returns UIKit's warnings.
        @discardableResult private func withStoryboard(
            _ content: String, _ body: (Bundle) throws -> Void
        ) throws -> [String] {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            let file = folder.appendingPathComponent("Base.lproj/Main.storyboard")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try Data(content.utf8).write(to: file)
            var warnings: [String] = []
            let earlier = Transitions.shared.onWarning
            Transitions.shared.onWarning = { warnings.append($0) }
            defer { Transitions.shared.onWarning = earlier }
            try body(try #require(Bundle(url: folder)))
            return warnings
        }

        @Test func initialViewController_hasTabsStacksAndTitles() throws {
            let warnings = try withStoryboard(main) { bundle in
                let storyboard = UIStoryboard(name: "Main", bundle: bundle)
                let tabs = try #require(storyboard.instantiateInitialViewController() as? UITabBarController)
                #expect(tabs.viewControllers?.count == 2 && tabs.storyboard === storyboard)
                let stack = try #require(tabs.viewControllers?.first as? UINavigationController)
                #expect(stack.tabBarItem.title == "Home")
                let home = try #require(stack.topViewController as? StoryboardScreen)
                #expect(home.navigationItem.title == "Posts" && home.isFromStoryboard)
                #expect(tabs.viewControllers?.last?.title == "Other")
            }
            #expect(warnings.contains { $0.contains("outlets and segues of StoryboardScreen in 'Main' are not made") })
            #expect(warnings.contains { $0.contains("Unknown class Missing") && $0.contains("Elsewhere") })
        }

        @Test func identifier_makesAController() throws {
            try withStoryboard(main) { bundle in
                let storyboard = UIStoryboard(name: "Main", bundle: bundle)
                #expect(storyboard.instantiateViewController(withIdentifier: "Home") is StoryboardScreen)
                let made: StoryboardScreen = storyboard.instantiateViewController(identifier: "Home") { _ in
                    StoryboardScreen()
                }
                #expect(!made.isFromStoryboard)
            }
        }

        @Test func whatIsMissing_isAWarning() throws {
            let warnings = try withStoryboard("<document>") { bundle in
                #expect(UIStoryboard(name: "Main", bundle: bundle).instantiateInitialViewController() == nil)
                _ = UIStoryboard(name: "Main", bundle: bundle).instantiateViewController(withIdentifier: "Login")
            }
            #expect(warnings.contains { $0.contains("Could not find a storyboard named 'Main'") })
            #expect(warnings.contains { $0.contains("no view controller with the identifier 'Login'") })
        }

        @Test func aCircleOfControllers_ends() throws {
            let circle = main.replacing("destination=\"home\"", with: "destination=\"stack\"")
            try withStoryboard(circle) { bundle in
                let tabs = UIStoryboard(name: "Main", bundle: bundle).instantiateInitialViewController()
                #expect((tabs as? UITabBarController)?.viewControllers?.count == 2)
            }
        }

        @Test func theSceneDelegate_hasTheWindowBeforeItsSceneConnects() async throws {
            try withStoryboard(main) { bundle in
                let delegate = WindowDelegate()
                UIApplication.shared.connect(delegate, storyboard: UIStoryboard(name: "Main", bundle: bundle))
                defer { delegate.window?.close() }
                #expect(delegate.rootAtConnection is UITabBarController)
                #expect(delegate.window?.isKeyWindow == true)
            }
        }
    }
}

final class StoryboardScreen: UIViewController {
    private(set) var isFromStoryboard = false

    override init(nibName: String?, bundle: Bundle?) { super.init(nibName: nibName, bundle: bundle) }

    required init?(coder: NSCoder) {
        isFromStoryboard = true
        super.init(coder: coder)
    }
}

@MainActor private final class WindowDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?
    var rootAtConnection: UIViewController?

    func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions) {
        rootAtConnection = window?.rootViewController
    }
}
