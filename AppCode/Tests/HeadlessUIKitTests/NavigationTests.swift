import HeadlessUIKit
import Testing

extension ScreenTests {
    /// Each test names the place of Apple's documentation that it rests on, in our words.
    @MainActor @Suite struct NavigationTests {
        /// `viewWillAppear(_:)` comes before the view is added to the hierarchy, `viewIsAppearing(_:)` after that,
        /// `viewDidAppear(_:)` when it is on screen.
        @Test func push_changesTheStackAtOnce_andTellsTheControllersLater() async throws {
            let (first, second) = (RecordingController("first"), RecordingController("second"))
            let stack = UINavigationController(rootViewController: first)
            try await Screen.run(stack) { screen in
                stack.pushViewController(second, animated: true)
                #expect(stack.viewControllers == [first, second])
                #expect(RecordingController.calls == ["second willMove to parent"])
                #expect(
                    await screen.calls() == [
                        "second willMove to parent", "first willDisappear", "second didLoad", "second willAppear",
                        "second isAppearing in its window", "first didDisappear", "second didAppear",
                        "second didMove to parent",
                    ])
                #expect(first.view.superview == nil && second.view.window === screen.window)
            }
        }

        /// `isMovingFromParent`: it is true while the controller is being removed from its parent.
        @Test func pop_tellsThatTheControllerLeaves() async throws {
            let (first, second) = (RecordingController("first"), RecordingController("second"))
            let stack = UINavigationController(rootViewController: first)
            stack.pushViewController(second, animated: false)
            try await Screen.run(stack) { screen in
                #expect(stack.popViewController(animated: true) === second)
                #expect(second.isMovingFromParent)
                #expect(
                    await screen.calls() == [
                        "second willMove to none", "second willDisappear", "first didLoad", "first willAppear",
                        "first isAppearing in its window", "second didDisappear", "first didAppear",
                        "second didMove to none",
                    ])
                #expect(second.parent == nil && !second.isMovingFromParent)
            }
        }

        /// `popViewController(animated:)`: the last item cannot be popped, and the result is nil then.
        @Test func rootStays() async throws {
            let stack = UINavigationController(rootViewController: RecordingController("root"))
            try await Screen.run(stack) { screen in
                #expect(stack.popViewController(animated: true) == nil)
                #expect(!stack.tapBack())
                #expect(await screen.calls().isEmpty)
            }
        }

        /// `popToRootViewController(animated:)`: it returns the controllers that were popped.
        @Test func popToRoot_returnsWhatWasAbove() async throws {
            let controllers = ["a", "b", "c"].map(RecordingController.init)
            let stack = UINavigationController()
            stack.setViewControllers(controllers, animated: false)
            try await Screen.run(stack) { screen in
                #expect(stack.popToRootViewController(animated: false) == [controllers[1], controllers[2]])
                let calls = await screen.calls()
                #expect(!calls.contains { $0.hasPrefix("b will") && $0.contains("ppear") }, "b was not visible")
                #expect(calls.contains("c didDisappear") && calls.contains("a didAppear"))
            }
        }

        /// `pushViewController(_:animated:)`: a controller that is in the stack already raises an exception.
        @Test func secondPushOfAController_isRefused_andSaysSo() async throws {
            let root = RecordingController("root")
            let stack = UINavigationController(rootViewController: root)
            try await Screen.run(stack) { _ in
                stack.pushViewController(root, animated: true)
                #expect(stack.viewControllers == [root])
                #expect(
                    Transitions.shared.warnings.last?.contains("RecordingController is in the stack already") == true)
            }
        }

        /// `navigationController(_:willShow:animated:)` comes just before the view is displayed, `didShow` just after.
        @Test func delegateIsTold_beforeAndAfter() async throws {
            let delegate = StackDelegate()
            let stack = UINavigationController(rootViewController: RecordingController("root"))
            stack.delegate = delegate
            try await Screen.run(stack) { screen in
                stack.pushViewController(RecordingController("next"), animated: true)
                let calls = await screen.calls()
                let place = { (call: String) in calls.firstIndex(of: call) ?? -1 }
                #expect(place("delegate willShow") < place("next willAppear"))
                #expect(place("delegate didShow") > place("next didAppear"))
            }
        }

        /// `UINavigationItem.hidesBackButton`.
        @Test func backButton_isTappedOnlyIfItIsThere() async throws {
            let stack = UINavigationController(rootViewController: RecordingController("root"))
            let top = RecordingController("top")
            stack.pushViewController(top, animated: false)
            try await Screen.run(stack) { _ in
                top.navigationItem.hidesBackButton = true
                #expect(!stack.tapBack())
                top.navigationItem.hidesBackButton = false
                #expect(stack.tapBack() && stack.viewControllers.count == 1)
            }
        }

        /// `UITabBarController` displays the view of the selected tab's controller.
        @Test func selectingATab_showsItsController() async throws {
            let (first, second) = (RecordingController("first"), RecordingController("second"))
            let tabs = UITabBarController()
            tabs.viewControllers = [first, second]
            try await Screen.run(tabs) { screen in
                tabs.selectedIndex = 1
                #expect(
                    await screen.calls() == [
                        "first willDisappear", "second didLoad", "second willAppear",
                        "second isAppearing in its window",
                        "first didDisappear", "second didAppear",
                    ])
                tabs.selectedIndex = 7
                #expect(tabs.selectedViewController === second)
            }
        }

        /// `UITabBar.selectedItem` is the item of the selected tab, also if the app gives the controller another item.
        @Test func tabBar_knowsTheItemOfTheSelectedTab() {
            let (tabs, second) = (UITabBarController(), UIViewController())
            tabs.viewControllers = [UIViewController(), second]
            tabs.viewControllers?.first?.tabBarItem.title = "First"
            #expect(tabs.tabBar.selectedItem?.title == "First")
            tabs.selectedIndex = 1
            second.tabBarItem = UITabBarItem(title: "Second", image: nil, tag: 1)
            #expect(tabs.tabBar.selectedItem?.title == "Second")
        }

        /// `tabBarController(_:shouldSelect:)` is asked when the user taps, and not when the app sets `selectedIndex`.
        @Test func tapOnATab_asksTheDelegate() async throws {
            let delegate = TabsDelegate()
            let tabs = UITabBarController()
            tabs.delegate = delegate
            tabs.viewControllers = [RecordingController("first"), RecordingController("second")]
            try await Screen.run(tabs) { _ in
                #expect(!tabs.tapTab(at: 1) && tabs.selectedIndex == 0)
                delegate.allows = true
                #expect(tabs.tapTab(at: 1) && tabs.selectedIndex == 1)
                #expect(delegate.selected == 1)
            }
        }
    }
}

private final class StackDelegate: NSObject, UINavigationControllerDelegate {
    func navigationController(
        _ navigationController: UINavigationController, willShow viewController: UIViewController, animated: Bool
    ) { RecordingController.calls.append("delegate willShow") }
    func navigationController(
        _ navigationController: UINavigationController, didShow viewController: UIViewController, animated: Bool
    ) { RecordingController.calls.append("delegate didShow") }
}

private final class TabsDelegate: NSObject, UITabBarControllerDelegate {
    var allows = false
    var selected = 0

    func tabBarController(_ tabBarController: UITabBarController, shouldSelect viewController: UIViewController) -> Bool
    {
        allows
    }
    func tabBarController(_ tabBarController: UITabBarController, didSelect viewController: UIViewController) {
        selected += 1
    }
}
