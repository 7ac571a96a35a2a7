import BridgeServer
import BridgeWebKit
import Foundation
import HeadlessUIKit
import Testing

@testable import AppHost

extension ScreenTests {
    /// What storyboards and nibs connect: outlets, rows, recognisers, segues.
    @MainActor @Suite struct InterfaceTests {
        init() { InterfaceTable.register([InterfaceScreen.table, InterfaceCell.table]) }

        /// A storyboard with these scenes, of which the first has the initial controller `first`.
        private func storyboard(_ scenes: String...) -> String {
            """
            <document type="com.apple.InterfaceBuilder3.CocoaTouch.Storyboard.XIB" initialViewController="first"><scenes>
            \(scenes.map { "<scene><objects>\($0)</objects></scene>" }.joined())
            </scenes></document>
            """
        }

        /// A controller of the class `InterfaceScreen`.
        private func screen(_ id: String, _ content: String = "", title: String = "") -> String {
            """
            <viewController id="\(id)" storyboardIdentifier="\(id)" title="\(title)" customClass="InterfaceScreen"
                            customModule="HeadlessUIKitTests" sceneMemberID="viewController">
            \(content)</viewController>
            """
        }

        @discardableResult private func withScreen(
            _ content: String, and files: [String: String] = [:], _ body: (InterfaceScreen) throws -> Void
        ) throws -> [String] {
            try withInterfaceFiles(files.merging(["Main.storyboard": content]) { $1 }) { bundle in
                let made = UIStoryboard(name: "Main", bundle: bundle).instantiateInitialViewController()
                try body(try #require(made as? InterfaceScreen))
            }
        }

        /// Shows the first controller in a stack, and returns the warnings up to that moment.
        private func withStack(
            _ content: String, _ body: (InterfaceScreen, UINavigationController) async throws -> Void
        ) async throws {
            var first: InterfaceScreen?
            let warnings = try withScreen(content) { first = $0 }
            #expect(warnings.isEmpty)
            let screen = try #require(first)
            let stack = UINavigationController(rootViewController: screen)
            try await Screen.run(stack) { _ in try await body(screen, stack) }
        }

        // MARK: Outlets

        @Test func outletsOfWebViews_areSet() throws {
            BridgeServer.shared = try BridgeServer()
            AppHost.registerInterfaces()
            let content = screen(
                "first",
                """
                <view key="view" id="v"><subviews><wkWebView id="web"><connections>
                  <outlet property="navigationDelegate" destination="first" id="1"/>
                  <outlet property="UIDelegate" destination="first" id="2"/>
                </connections></wkWebView></subviews></view>
                """)
            let warnings = try withScreen(storyboard(content)) { screen in
                let web = try #require(screen.view.subviews.first as? WKWebView)
                #expect(web.navigationDelegate === screen && web.uiDelegate === screen)
            }
            #expect(warnings == [])
        }

        @Test func outlets_leadToConstraintsPartsAndRecognisers() throws {
            let content = screen(
                "first",
                """
                <view key="view" id="v">
                  <subviews>
                    <visualEffectView id="e"><view key="contentView" id="c">
                      <subviews><label text="in the effect" id="inEffect"/></subviews>
                    </view></visualEffectView>
                    <tableView id="t"><view key="tableHeaderView" id="h">
                      <subviews><label text="in the header" id="inHeader"/></subviews>
                    </view></tableView>
                    <toolbar id="bar"><items><barButtonItem title="Go" id="go"/></items></toolbar>
                  </subviews>
                  <constraints>
                    <constraint firstItem="e" firstAttribute="height" relation="lessThanOrEqual" constant="40"
                                multiplier="1:2" priority="750" id="height"/>
                  </constraints>
                  <connections><outletCollection property="gestureRecognizers" destination="pan" id="1"/></connections>
                </view>
                <connections>
                  <outlet property="height" destination="height" id="2"/>
                  <outletCollection property="labels" destination="inEffect" id="3"/>
                  <outletCollection property="labels" destination="inHeader" id="4"/>
                  <outlet property="button" destination="go" id="5"/>
                  <outlet property="recognizer" destination="pan" id="6"/>
                </connections>
                """)
            let pan = "<panGestureRecognizer id=\"pan\"/>"
            let warnings = try withScreen(storyboard(content + pan)) { screen in
                #expect(screen.recognizer is UIPanGestureRecognizer)
                screen.loadViewIfNeeded()
                #expect(screen.labels.map(\.text) == ["in the effect", "in the header"])
                #expect(screen.height.constant == 40 && screen.height.multiplier == 0.5 && screen.height.isActive)
                #expect(screen.height.priority == .defaultHigh && screen.height.relation == .lessThanOrEqual)
                #expect(screen.button?.title == "Go" && screen.view.gestureRecognizers?.count == 1)
            }
            #expect(warnings == [])
        }

        @Test func outletsOfWhatIsNotMade_areWarnings() throws {
            let content = screen(
                "first",
                """
                <view key="view" id="v"><subviews><collectionView id="list"/></subviews></view>
                <connections>
                  <outlet property="recognizer" destination="pinch" id="1"/>
                  <outlet property="button" destination="nowhere" id="2"/>
                </connections>
                """)
            let pinch = "<pinchGestureRecognizer id=\"pinch\"/>"
            let warnings = try withScreen(storyboard(content + pinch)) { $0.loadViewIfNeeded() }
            #expect(
                warnings == [
                    "UIStoryboard: A pinchGestureRecognizer is not made here.",
                    "UIStoryboard: UIKit has no class for a collectionView here. An empty view takes its place.",
                    "UIStoryboard: recognizer of InterfaceScreen is not connected: a pinchGestureRecognizer is not made here.",
                    "UIStoryboard: button of InterfaceScreen is not connected: the file has no object with the id 'nowhere'.",
                ])
        }

        @Test func textsOfSeveralLines_areRead() throws {
            let label = "<label id=\"a\"><string key=\"text\">One\nTwo</string></label>"
            let styled = """
                <label id="b"><attributedString key="attributedText">
                  <fragment content="One "/><fragment><string key="content">Two\nThree</string></fragment>
                </attributedString></label>
                """
            let view = "<view key=\"view\" id=\"v\"><subviews>\(label)\(styled)</subviews></view>"
            try withScreen(storyboard(screen("first", view))) { screen in
                #expect(screen.view.subviews.map { ($0 as? UILabel)?.text } == ["One\nTwo", "One Two\nThree"])
            }
        }

        @Test func actionsWithAnEvent_areCalled() throws {
            let content = screen(
                "first",
                """
                <view key="view" id="v"><subviews><button id="b"><connections>
                  <action selector="tap:forEvent:" destination="first" eventType="touchUpInside" id="1"/>
                  <action selector="hold:event:" destination="first" eventType="touchUpInside" id="2"/>
                </connections></button></subviews></view>
                """)
            try withScreen(storyboard(content)) { screen in
                (screen.view.subviews.first as? UIButton)?.sendActions(for: .touchUpInside)
                #expect(screen.calls.suffix(2) == ["tap", "hold"])
            }
        }

        @Test func controllersOfStoryboards_areFreed() throws {
            let content = screen(
                "first",
                """
                <view key="view" id="v"><subviews>
                  <button id="b"><connections><segue destination="second" kind="show" id="1"/></connections></button>
                  <tableView id="t"><prototypes><tableViewCell reuseIdentifier="Row" id="c"/></prototypes></tableView>
                </subviews></view>
                <connections><outlet property="field" destination="b" id="2"/></connections>
                """)
            weak var loaded: UIViewController?
            weak var unloaded: UIViewController?
            try withInterfaceFiles(["Main.storyboard": storyboard(content, screen("second"))]) { bundle in
                let storyboard = UIStoryboard(name: "Main", bundle: bundle)
                let (first, second) = (
                    storyboard.instantiateInitialViewController(), storyboard.instantiateInitialViewController()
                )
                first?.loadViewIfNeeded()
                (loaded, unloaded) = (first, second)
                #expect(loaded != nil && unloaded != nil)
            }
            #expect(loaded == nil && unloaded == nil)
        }

        @Test func connectedObjects_areToldAndGetTheirRuntimeAttributes() throws {
            let content = screen(
                "first",
                """
                <view key="view" id="v"><subviews>
                  <view customClass="InterfaceView" customModule="HeadlessUIKitTests" id="own">
                    <userDefinedRuntimeAttributes>
                      <userDefinedRuntimeAttribute type="number" keyPath="layer.cornerRadius">
                        <real key="value" value="8"/>
                      </userDefinedRuntimeAttribute>
                      <userDefinedRuntimeAttribute type="boolean" keyPath="gone" value="YES"/>
                    </userDefinedRuntimeAttributes>
                    <connections><outlet property="delegate" destination="first" id="1"/></connections>
                  </view>
                  <slider value="3" minValue="1" maxValue="5" id="s"/><pageControl numberOfPages="4" id="p"/>
                </subviews></view>
                <userDefinedRuntimeAttributes>
                  <userDefinedRuntimeAttribute type="number" keyPath="limit"><integer key="value" value="7"/>
                  </userDefinedRuntimeAttribute>
                </userDefinedRuntimeAttributes>
                """)
            let warnings = try withScreen(storyboard(content)) { screen in
                #expect(screen.calls == ["awake with limit 7"])
                let own = try #require(screen.view.subviews.first as? InterfaceView)
                #expect(own.isAwake && own.layer.cornerRadius == 8)
                let slider = try #require(screen.view.subviews[1] as? UISlider)
                #expect(slider.value == 3 && slider.minimumValue == 1 && slider.maximumValue == 5)
                #expect((screen.view.subviews[2] as? UIPageControl)?.numberOfPages == 4)
            }
            #expect(
                warnings == [
                    "UIStoryboard: The runtime attribute gone of InterfaceView is not set.",
                    "UIStoryboard: InterfaceView has no outlet delegate.",
                ])
        }

        // MARK: Controllers

        @Test func aCreatorsController_getsWhatTheStoryboardSays() throws {
            let content = screen(
                "first", "<view key=\"view\" id=\"v\"><subviews><label text=\"x\" id=\"l\"/></subviews></view>")
            try withInterfaceFiles(["Main.storyboard": storyboard(content)]) { bundle in
                let storyboard = UIStoryboard(name: "Main", bundle: bundle)
                let made = storyboard.instantiateViewController(identifier: "first") {
                    InterfaceScreen(mark: "own", $0)
                }
                #expect(made.mark == "own" && made.storyboard === storyboard && made.view.subviews.count == 1)
                let initial = storyboard.instantiateInitialViewController { InterfaceScreen(mark: "other", $0) }
                #expect(initial?.mark == "other" && initial?.view.subviews.count == 1)
                let usual = storyboard.instantiateViewController(identifier: "first") { _ -> InterfaceScreen? in nil }
                #expect(usual.mark == "" && usual.view.subviews.count == 1)
            }
        }

        @Test func references_leadToOtherStoryboards() throws {
            let tabs = """
                <tabBarController id="first" sceneMemberID="viewController"><connections>
                  <segue destination="a" kind="relationship" relationship="viewControllers" id="1"/>
                  <segue destination="b" kind="relationship" relationship="viewControllers" id="2"/>
                  <segue destination="c" kind="relationship" relationship="viewControllers" id="3"/>
                </connections></tabBarController>
                """
            let placeholder = "<viewControllerPlaceholder storyboardName=\"Other\" sceneMemberID=\"viewController\" "
            let main = storyboard(
                tabs, placeholder + "id=\"a\"/>", placeholder + "referencedIdentifier=\"second\" id=\"b\"/>",
                "<pageViewController id=\"c\" title=\"Pages\" sceneMemberID=\"viewController\"/>")
            let other = storyboard(screen("first", title: "Initial"), screen("second", title: "Named"))
            let warnings = try withInterfaceFiles(["Main.storyboard": main, "Other.storyboard": other]) { bundle in
                let made = UIStoryboard(name: "Main", bundle: bundle).instantiateInitialViewController()
                let controllers = try #require(made as? UITabBarController).viewControllers
                #expect(controllers?.map(\.title) == ["Initial", "Named", "Pages"])
                #expect(controllers?.first is InterfaceScreen)
            }
            #expect(
                warnings == [
                    "UIStoryboard: UIKit has no class for a pageViewController here. An empty view controller takes its place."
                ])
        }

        // MARK: Segues

        @Test func segueActions_makeTheDestination() async throws {
            let content = screen(
                "first",
                """
                <view key="view" id="v"/>
                <connections>
                  <segue destination="second" kind="show" identifier="made" destinationCreationSelector="make:sender:" id="1"/>
                  <segue destination="second" kind="show" identifier="gone" destinationCreationSelector="gone:" id="2"/>
                </connections>
                """)
            try await withStack(storyboard(content, screen("second", title: "Second"))) { screen, stack in
                screen.performSegue(withIdentifier: "made", sender: "me")
                let made = try #require(stack.topViewController as? InterfaceScreen)
                #expect(made.mark == "made for me" && made.title == "Second")
                screen.performSegue(withIdentifier: "gone", sender: nil)
                #expect((stack.topViewController as? InterfaceScreen)?.mark == "")
                #expect(Transitions.shared.warnings.last == "UIStoryboard: InterfaceScreen has no segue action gone:.")
            }
        }

        private let container = """
            <view key="view" id="v"><subviews><containerView id="box">
              <connections><segue destination="second" kind="embed" identifier="embed" id="1"/></connections>
            </containerView></subviews></view>
            """

        @Test func embeddedControllers_arePreparedBeforeTheyAreAdded() throws {
            try withScreen(storyboard(screen("first", container), screen("second"))) { screen in
                screen.loadViewIfNeeded()
                #expect(screen.calls.last == "prepare embed of InterfaceScreen without parent")
                #expect(screen.children.count == 1)
            }
        }

        @Test func aControllerThatEmbedsItself_ends() throws {
            let itself = container.replacing("destination=\"second\"", with: "destination=\"first\"")
            let warnings = try withScreen(storyboard(screen("first", itself))) { screen in
                screen.loadViewIfNeeded()
                #expect(screen.children.isEmpty)
            }
            #expect(warnings.first == "UIStoryboard: A InterfaceScreen of the storyboard 'Main' contains itself.")
        }

        @Test func unwinding_findsTheContainerInAPresentedStack() async throws {
            let unwind = """
                <view key="view" id="v2"/>
                <connections>
                  <segue destination="exit" kind="unwind" identifier="back" unwindAction="unwindFor:" id="2"/>
                </connections>
                """
            let exit = "<exit id=\"exit\" sceneMemberID=\"exit\"/>"
            var presented: InterfaceScreen?
            try withScreen(storyboard(screen("first", container), screen("second", unwind) + exit)) { presented = $0 }
            let screen = try #require(presented)
            let root = InterfaceScreen(mark: "root", NSCoder())
            try await Screen.run(try #require(root)) { _ in
                let stack = UINavigationController(rootViewController: screen)
                screen.loadViewIfNeeded()
                root?.present(stack, animated: false)
                stack.pushViewController(UIViewController(), animated: false)
                await Transitions.shared.settled()
                screen.children.first?.performSegue(withIdentifier: "back", sender: nil)
                await Transitions.shared.settled()
                #expect(screen.calls.last == "unwind" && root?.calls.contains("unwind") == false)
                #expect(stack.topViewController === screen && root?.presentedViewController === stack)
            }
        }

        @Test func appsOwnSegues_perform_andStylesAreSetBeforePrepare() async throws {
            let content = screen(
                "first",
                """
                <view key="view" id="v"><subviews><button id="b"/></subviews></view>
                <connections>
                  <segue destination="second" kind="custom" identifier="own" customClass="InterfaceSegue"
                         customModule="HeadlessUIKitTests" id="1"/>
                  <segue destination="second" kind="presentation" identifier="full" modalPresentationStyle="pageSheet" id="2"/>
                  <segue destination="second" kind="popoverPresentation" identifier="popover" popoverAnchorView="b" id="3"/>
                </connections>
                """)
            try await withStack(storyboard(content, screen("second"))) { screen, _ in
                screen.performSegue(withIdentifier: "own", sender: nil)
                #expect(screen.calls.last == "own segue" && screen.presentedViewController == nil)
                screen.stylesInPrepare = [.fullScreen]
                screen.performSegue(withIdentifier: "full", sender: nil)
                #expect(screen.calls.last == "style pageSheet")
                #expect(screen.presentedViewController?.modalPresentationStyle == .fullScreen)
                screen.dismiss(animated: false)
                await Transitions.shared.settled()
                screen.performSegue(withIdentifier: "popover", sender: nil)
                #expect(screen.calls.last == "style popover from UIButton")
            }
        }

        @Test func recognisers_performSegues() async throws {
            let content = screen(
                "first",
                """
                <view key="view" id="v">
                  <connections><outletCollection property="gestureRecognizers" destination="tap" id="1"/></connections>
                </view>
                """)
            let tap = """
                <tapGestureRecognizer id="tap">
                  <connections><segue destination="second" kind="show" identifier="tapped" id="2"/></connections>
                </tapGestureRecognizer>
                """
            try await withStack(storyboard(content + tap, screen("second", title: "Second"))) { screen, stack in
                #expect(screen.view.gestureRecognizers?.first?.recognize() == true)
                #expect(stack.topViewController?.title == "Second")
            }
        }

        // MARK: Rows

        private let rows = """
            <tableViewController id="first" customClass="InterfaceTableScreen" customModule="HeadlessUIKitTests"
                                 sceneMemberID="viewController">
              <tableView key="view" dataMode="static" id="t">
                <sections><tableViewSection headerTitle="Account" id="s"><cells>
                  <tableViewCell style="IBUITableViewCellStyleDefault" textLabel="name" id="r1">
                    <tableViewCellContentView key="contentView" id="c1"><subviews>
                      <label text="Name" id="name"/>
                    </subviews></tableViewCellContentView>
                    <connections><segue destination="second" kind="show" identifier="row" id="1"/></connections>
                  </tableViewCell>
                  <tableViewCell id="r2"><tableViewCellContentView key="contentView" id="c2"><subviews>
                    <switch on="NO" id="toggle"/>
                  </subviews></tableViewCellContentView></tableViewCell>
                </cells></tableViewSection></sections>
                <prototypes><tableViewCell reuseIdentifier="Post" customClass="InterfaceCell"
                                           customModule="HeadlessUIKitTests" id="p">
                  <tableViewCellContentView key="contentView" id="c3"><subviews>
                    <label text="Post" id="post"/>
                  </subviews></tableViewCellContentView>
                  <connections><outlet property="label" destination="post" id="2"/></connections>
                </tableViewCell></prototypes>
                <connections>
                  <outlet property="dataSource" destination="first" id="3"/>
                  <outlet property="delegate" destination="first" id="4"/>
                </connections>
              </tableView>
              <navigationItem key="navigationItem" title="Rows" id="n"/>
            </tableViewController>
            """

        @Test func rowsOfTheStoryboard_areShown_andPerformSegues() async throws {
            var first: UIViewController?
            let content = storyboard(rows, screen("second", title: "Second"))
            let warnings = try withInterfaceFiles(["Main.storyboard": content]) { bundle in
                first = UIStoryboard(name: "Main", bundle: bundle).instantiateInitialViewController()
                first?.loadViewIfNeeded()
            }
            let screen = try #require(first as? InterfaceTableScreen)
            let table = try #require(screen.tableView)
            #expect(warnings == [] && screen.view === table && table.numberOfSections == 1)
            #expect(table.allCells.map(\.cell.shownTexts) == [["Name"], []])
            #expect(table.dataSource?.tableView(table, titleForHeaderInSection: 0) == "Account")
            let posts = (0..<2).map { _ in table.dequeueReusableCell(withIdentifier: "Post") as? InterfaceCell }
            #expect(posts.map(\.?.label?.text) == ["Post", "Post"] && posts[0] !== posts[1])
            #expect(posts[0]?.reuseIdentifier == "Post" && posts[0]?.isAwake == true)
            let stack = UINavigationController(rootViewController: screen)
            try await Screen.run(stack) { _ in
                #expect(table.tapRow(at: IndexPath(row: 0, section: 0)))
                #expect(screen.calls == ["prepare row 0", "selected 0"])
                #expect(stack.topViewController?.title == "Second")
            }
        }

        // MARK: Nibs

        @Test func aControllersNib_setsItsView_andReportsWhatIsUnknown() throws {
            let nib = """
                <document type="com.apple.InterfaceBuilder3.CocoaTouch.XIB"><objects>
                  <placeholder placeholderIdentifier="IBFilesOwner" id="-1">
                    <connections><outlet property="view" destination="main" id="1"/></connections>
                  </placeholder>
                  <placeholder placeholderIdentifier="IBFirstResponder" id="-2"/>
                  <customObject customClass="Model" id="o"/>
                  <view id="side"/><view tag="5" id="main"/><panGestureRecognizer id="pan"/>
                </objects></document>
                """
            let warnings = try withInterfaceFiles(["Code.xib": nib]) { bundle in
                #expect(UIViewController(nibName: "Code", bundle: bundle).view.tag == 5)
                let top = UINib(nibName: "Code", bundle: bundle).instantiate(withOwner: nil)
                #expect(top.count == 3 && top.last is UIPanGestureRecognizer)
                let unconnected = nib.replacing("property=\"view\"", with: "property=\"other\"")
                try Data(unconnected.utf8).write(to: bundle.bundleURL.appendingPathComponent("Base.lproj/Code.xib"))
                _ = UIViewController(nibName: "Code", bundle: bundle).view
            }
            #expect(warnings.filter { $0 == "UINib 'Code': A Model is not made here." }.count == 3)
            #expect(warnings.last?.contains("the outlet view of UIViewController is not connected") == true)
        }
    }
}

final class InterfaceScreen: UIViewController, WKNavigationDelegate, WKUIDelegate {
    private(set) var mark = ""
    weak var field: UIView?
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals, because Xcode writes outlets so.
    weak var height: NSLayoutConstraint!
    var labels: [UILabel] = []
    var button: UIBarButtonItem?
    var recognizer: UIGestureRecognizer?
    var limit = 0
    var calls: [String] = []
    var stylesInPrepare: [UIModalPresentationStyle] = []

    init?(mark: String, _ coder: NSCoder) {
        super.init(coder: coder)
        self.mark = mark
    }

    required init?(coder: NSCoder) { super.init(coder: coder) }

    static let table = InterfaceTable(
        InterfaceScreen.self,
        outlets: [
            "field": .init(\InterfaceScreen.field), "height": .init(\InterfaceScreen.height),
            "labels": .init(\InterfaceScreen.labels), "button": .init(\InterfaceScreen.button),
            "recognizer": .init(\InterfaceScreen.recognizer), "limit": .init(\InterfaceScreen.limit),
        ],
        actions: [
            "unwindFor:": Selector("unwindFor:", InterfaceScreen.unwind(for:)),
            "tap:forEvent:": Selector("tap:forEvent:", InterfaceScreen.tap(_:forEvent:)),
            "hold:event:": Selector("hold:event:", InterfaceScreen.hold(_:event:)),
        ],
        segueActions: ["make:sender:": .init(InterfaceScreen.make(_:sender:))])

    private func make(_ coder: NSCoder, sender: Any?) -> InterfaceScreen? {
        InterfaceScreen(mark: "made for \(sender ?? "none")", coder)
    }

    private func unwind(for segue: UIStoryboardSegue) { calls.append("unwind") }
    private func tap(_ sender: Any, forEvent event: UIEvent) { calls.append("tap") }
    private func hold(_ sender: UIButton, event: UIEvent?) { calls.append("hold") }

    override func awakeFromNib() {
        super.awakeFromNib()
        calls.append("awake with limit \(limit)")
    }

    override func prepare(for segue: UIStoryboardSegue, sender: Any?) {
        let destination = segue.destination
        guard segue.identifier != "embed" else {
            return calls.append(
                "prepare embed of \(type(of: destination)) \(destination.parent == nil ? "without" : "with") parent")
        }
        let anchor = destination.popoverPresentationController?.sourceView
        calls.append("style \(destination.modalPresentationStyle)\(anchor.map { " from \(type(of: $0))" } ?? "")")
        if let style = stylesInPrepare.first { destination.modalPresentationStyle = style }
    }
}

final class InterfaceView: UIView {
    private(set) var isAwake = false

    override func awakeFromNib() { isAwake = true }
}

final class InterfaceCell: UITableViewCell {
    var label: UILabel?
    private(set) var isAwake = false

    static let table = InterfaceTable(InterfaceCell.self, outlets: ["label": .init(\InterfaceCell.label)], actions: [:])

    override func awakeFromNib() { isAwake = label != nil }
}

final class InterfaceTableScreen: UITableViewController {
    private(set) var calls: [String] = []

    override func prepare(for segue: UIStoryboardSegue, sender: Any?) {
        let row = (sender as? UITableViewCell).flatMap { tableView.indexPath(for: $0) }?.row
        calls.append("prepare \(segue.identifier ?? "") \(row ?? -1)")
    }

    override func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
        calls.append("selected \(indexPath.row)")
    }
}

final class InterfaceSegue: UIStoryboardSegue {
    override init(identifier: String?, source: UIViewController, destination: UIViewController) {
        super.init(identifier: identifier, source: source, destination: destination)
    }

    override func perform() { (source as? InterfaceScreen)?.calls.append("own segue") }
}
