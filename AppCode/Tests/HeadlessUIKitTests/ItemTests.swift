import HeadlessUIKit
import Testing

extension ScreenTests {
    @MainActor @Suite struct ItemTests {
        /// `UIBarButtonItem.action`: the target's method that a tap calls.
        @Test func barButton_callsItsTarget() {
            let target = Target()
            let item = UIBarButtonItem(
                title: "Save", style: .plain, target: target, action: Selector("save(_:)", Target.save))
            #expect(item.tap() && target.senders == 1)
            item.isEnabled = false
            #expect(!item.tap() && target.senders == 1)
        }

        /// Targets are not retained.
        @Test func barButton_withoutItsTarget_doesNothing() {
            var target: Target? = Target()
            let item = UIBarButtonItem(
                title: "Save", style: .plain, target: target, action: Selector("save(_:)", Target.save))
            target = nil
            #expect(!item.tap())
        }

        @Test func control_callsTargetsAndActions_ofTheEvent() {
            let target = Target()
            let button = UIButton(type: .system, primaryAction: UIAction(title: "Go") { _ in target.senders += 10 })
            let selector = Selector("save(_:)", Target.save)
            button.addTarget(target, action: selector, for: .touchUpInside)
            button.sendActions(for: .touchUpInside)
            #expect(target.senders == 1)
            button.sendActions(for: .primaryActionTriggered)
            #expect(target.senders == 11)
            button.removeTarget(target, action: selector, for: .touchUpInside)
            button.sendActions(for: .touchUpInside)
            #expect(target.senders == 11 && button.currentTitle == "Go")
        }

        /// `rightBarButtonItem`: setting it replaces the first item.
        @Test func firstItem_isReplaced_andTheOthersStay() {
            let item = UINavigationItem()
            item.rightBarButtonItems = [UIBarButtonItem(title: "A"), UIBarButtonItem(title: "B")]
            item.rightBarButtonItem = UIBarButtonItem(title: "C")
            #expect(item.rightBarButtonItems?.map(\.shownTitle) == ["C", "B"])
            item.rightBarButtonItem = nil
            #expect(item.rightBarButtonItems?.map(\.shownTitle) == ["B"])
        }

        @Test func tableRow_isTapped() {
            let table = Table()
            #expect(table.tableView.allCells.map(\.cell.shownTexts) == [["One"], ["Two"]])
            #expect(!table.tableView.tapRow(at: IndexPath(row: 2, section: 0)))
            #expect(table.tableView.tapRow(at: IndexPath(row: 1, section: 0)) && table.tapped == [1])
        }

        @Test func refreshControl_isPulledOnce() {
            let target = Target()
            let control = UIRefreshControl()
            control.addTarget(target, action: Selector("save(_:)", Target.save), for: .valueChanged)
            #expect(control.pull() && !control.pull() && target.senders == 1)
            control.endRefreshing()
            #expect(control.pull())
        }

        @Test func notification_reachesAMethod_untilTheObserverIsReleased() {
            let name = Notification.Name("bridged.test")
            var observer: Observer? = Observer()
            var count = { [weak observer] in observer?.count }
            NotificationCenter.default.addObserver(
                observer as Any, selector: Selector("received(_:)", Observer.received), name: name, object: nil)
            NotificationCenter.default.post(name: name, object: nil)
            #expect(count() == 1)
            observer = nil
            NotificationCenter.default.post(name: name, object: nil)
            count = { nil }
        }

        @Test func scene_hearsOfTheAppsLife_inOrder() {
            let delegate = SceneDelegate()
            let scene = UIApplication.shared.connect(delegate)
            UIApplication.shared.enterBackground()
            #expect(UIApplication.shared.applicationState == .background && scene.activationState == .background)
            UIApplication.shared.enterForeground()
            UIApplication.shared.receive(URL(string: "myapp://one")!)
            #expect(
                delegate.calls == [
                    "willConnect", "willEnterForeground", "didBecomeActive", "willResignActive", "didEnterBackground",
                    "willEnterForeground", "didBecomeActive", "open myapp://one",
                ])
        }
    }
}

@MainActor private final class Target: NSObject {
    var senders = 0
    func save(_ sender: AnyObject) { senders += 1 }
}

@MainActor private final class Observer: NSObject {
    var count = 0
    func received(_ notification: Notification) { count += 1 }
}

private final class Table: UITableViewController {
    var tapped: [Int] = []

    override func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 2 }
    override func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        let cell = UITableViewCell(style: .default, reuseIdentifier: nil)
        cell.textLabel?.text = ["One", "Two"][indexPath.row]
        return cell
    }
    override func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
        tapped.append(indexPath.row)
    }
}

private final class SceneDelegate: UIResponder, UIWindowSceneDelegate {
    var calls: [String] = []

    func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions) {
        calls.append("willConnect")
    }
    func sceneWillEnterForeground(_ scene: UIScene) { calls.append("willEnterForeground") }
    func sceneDidBecomeActive(_ scene: UIScene) { calls.append("didBecomeActive") }
    func sceneWillResignActive(_ scene: UIScene) { calls.append("willResignActive") }
    func sceneDidEnterBackground(_ scene: UIScene) { calls.append("didEnterBackground") }
    func scene(_ scene: UIScene, openURLContexts contexts: Set<UIOpenURLContext>) {
        calls += contexts.map { "open \($0.url)" }
    }
}
