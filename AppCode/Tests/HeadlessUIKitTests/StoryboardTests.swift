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
            _ content: String, named name: String = "Main.storyboard", _ body: (Bundle) throws -> Void
        ) throws -> [String] {
            try withInterfaceFiles([name: content], body)
        }

        @Test func initialViewController_hasTabsStacksAndTitles() throws {
            let warnings = try withStoryboard(main) { bundle in
                let storyboard = UIStoryboard(name: "Main", bundle: bundle)
                let tabs = try #require(storyboard.instantiateInitialViewController() as? UITabBarController)
                #expect(tabs.viewControllers?.count == 2 && tabs.storyboard === storyboard)
                let stack = try #require(tabs.viewControllers?.first as? UINavigationController)
                #expect(stack.tabBarItem.title == "Home")
                let home = try #require(stack.topViewController as? StoryboardScreen)
                #expect(home.view.subviews.map { ($0 as? UILabel)?.text } == ["x"])
                #expect(home.navigationItem.title == "Posts" && home.isFromStoryboard)
                #expect(tabs.viewControllers?.last?.title == "Other")
            }
            #expect(warnings.contains { $0.contains("Unknown class Missing") && $0.contains("Elsewhere") })
        }

        private let form = """
            <document type="com.apple.InterfaceBuilder3.CocoaTouch.Storyboard.XIB" initialViewController="stack">
              <scenes>
                <scene><objects>
                  <navigationController id="stack" sceneMemberID="viewController">
                    <connections>
                      <segue destination="form" kind="relationship" relationship="rootViewController" id="1"/>
                    </connections>
                  </navigationController>
                </objects></scene>
                <scene><objects>
                  <viewController id="form" customClass="StoryboardForm" customModule="HeadlessUIKitTests"
                                  sceneMemberID="viewController">
                    <view key="view" id="v"><subviews>
                      <textField placeholder="Name" tag="7" id="field">
                        <connections><outlet property="delegate" destination="form" id="2"/></connections>
                      </textField>
                      <button id="save"><state key="normal" title="Save"/>
                        <connections>
                          <action selector="save:" destination="form" eventType="touchUpInside" id="3"/>
                        </connections>
                      </button>
                      <button enabled="NO" id="more"><state key="normal" title="More"/></button>
                      <stackView id="inner"><subviews>
                        <label text="a" id="a"/><label text="b" id="b"/>
                      </subviews></stackView>
                      <containerView id="box">
                        <connections><segue destination="child" kind="embed" identifier="embedded" id="4"/></connections>
                      </containerView>
                    </subviews></view>
                    <navigationItem key="navigationItem" title="Form" id="5">
                      <barButtonItem key="rightBarButtonItem" title="Next" id="next">
                        <connections><segue destination="detail" kind="show" identifier="toDetail" id="6"/></connections>
                      </barButtonItem>
                    </navigationItem>
                    <connections>
                      <outlet property="field" destination="field" id="7"/>
                      <outlet property="nextButton" destination="next" id="8"/>
                      <outletCollection property="labels" destination="a" id="9"/>
                      <outletCollection property="labels" destination="b" id="10"/>
                      <outlet property="gone" destination="a" id="11"/>
                      <segue destination="detail" kind="presentation" identifier="modal" id="12"/>
                    </connections>
                  </viewController>
                </objects></scene>
                <scene><objects><viewController id="child" title="Child" sceneMemberID="viewController"/></objects></scene>
                <scene><objects>
                  <viewController id="detail" title="Detail" sceneMemberID="viewController">
                    <view key="view" id="13"><subviews>
                      <button id="back"><state key="normal" title="Back to the form"/>
                        <connections>
                          <segue destination="exit" kind="unwind" unwindAction="unwindWithSegue:" id="14"/>
                        </connections>
                      </button>
                    </subviews></view>
                  </viewController>
                  <exit id="exit" userLabel="Exit" sceneMemberID="exit"/>
                </objects></scene>
              </scenes>
            </document>
            """

        /// Shows the controllers of the form's storyboard.
        private func withForm(_ body: (StoryboardForm, [String]) async throws -> Void) async throws {
            InterfaceTable.register([StoryboardForm.table])
            var stack: UIViewController?
            let warnings = try withStoryboard(form) { bundle in
                stack = UIStoryboard(name: "Main", bundle: bundle).instantiateInitialViewController()
                (stack as? UINavigationController)?.topViewController?.loadViewIfNeeded()
            }
            let root = try #require(stack as? UINavigationController)
            let form = try #require(root.topViewController as? StoryboardForm)
            try await Screen.run(root) { _ in try await body(form, warnings) }
        }

        @Test func outlets_areSet_andActionsCalled() async throws {
            try await withForm { form, warnings in
                #expect(form.field.placeholder == "Name" && form.field.tag == 7 && form.field.delegate === form)
                #expect(form.labels.map(\.text) == ["a", "b"] && form.nextButton?.title == "Next")
                #expect(warnings == ["UIStoryboard: StoryboardForm has no outlet gone."])
                let buttons = form.view.subviews.compactMap { $0 as? UIButton }
                #expect(buttons.map(\.currentTitle) == ["Save", "More"] && buttons.map(\.isEnabled) == [true, false])
                buttons.first?.sendActions(for: .touchUpInside)
                #expect(form.calls == ["prepare embedded", "save Save"])
                #expect(form.children.map(\.title) == ["Child"])
            }
        }

        @Test func segues_showAndPresent_andUnwind() async throws {
            try await withForm { form, _ in
                #expect(form.nextButton?.tap() == true)
                await Transitions.shared.settled()
                let detail = try #require(form.navigationController?.topViewController)
                #expect(detail.title == "Detail" && form.calls.last == "prepare toDetail")
                (detail.view.subviews.first as? UIButton)?.sendActions(for: .touchUpInside)
                await Transitions.shared.settled()
                #expect(form.navigationController?.topViewController === form && form.calls.last == "unwind")
                form.performSegue(withIdentifier: "modal", sender: nil)
                await Transitions.shared.settled()
                #expect(form.presentedViewController?.title == "Detail" && form.calls.last == "prepare modal")
            }
        }

        @Test func nib_makesItsViews() throws {
            let nib = """
                <document type="com.apple.InterfaceBuilder3.CocoaTouch.XIB"><objects>
                  <placeholder placeholderIdentifier="IBFilesOwner" id="-1">
                    <connections><outlet property="field" destination="f" id="1"/></connections>
                  </placeholder>
                  <placeholder placeholderIdentifier="IBFirstResponder" id="-2"/>
                  <view id="2"><subviews><textField placeholder="Code" id="f"/></subviews></view>
                </objects></document>
                """
            InterfaceTable.register([StoryboardForm.table])
            let owner = StoryboardForm(nibName: nil, bundle: nil)
            try withStoryboard(nib, named: "Code.xib") { bundle in
                let made = try #require(bundle.loadNibNamed("Code", owner: owner))
                #expect(made.count == 1 && owner.field.placeholder == "Code" && !owner.isViewLoaded)
                #expect(bundle.loadNibNamed("Other", owner: owner) == nil)
            }
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

final class StoryboardForm: UIViewController, UITextFieldDelegate {
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals, because Xcode writes outlets so.
    weak var field: UITextField!
    var nextButton: UIBarButtonItem?
    var labels: [UILabel] = []
    private(set) var calls: [String] = []

    static let table = InterfaceTable(
        StoryboardForm.self,
        outlets: [
            "field": .init(\StoryboardForm.field), "nextButton": .init(\StoryboardForm.nextButton),
            "labels": .init(\StoryboardForm.labels),
        ],
        actions: [
            "save:": Selector("save:", StoryboardForm.save(_:)),
            "unwindWithSegue:": Selector("unwindWithSegue:", StoryboardForm.unwind(segue:)),
        ])

    func save(_ sender: UIButton) { calls.append("save \(sender.currentTitle ?? "")") }
    func unwind(segue: UIStoryboardSegue) { calls.append("unwind") }
    override func prepare(for segue: UIStoryboardSegue, sender: Any?) {
        calls.append("prepare \(segue.identifier ?? "")")
    }
}

@MainActor private final class WindowDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?
    var rootAtConnection: UIViewController?

    func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions) {
        rootAtConnection = window?.rootViewController
    }
}
