import HeadlessUIKit
import Testing

extension ScreenTests {
    /// Each test names the place of Apple's documentation that it rests on, in our words.
    @MainActor @Suite struct ContainmentTests {
        /// `UIViewController.view`: if it is nil when it is asked for, the controller calls `loadView`, and `viewDidLoad`
        /// after that.
        @Test func view_isLoadedWhenItIsAskedForFirst_andOnce() {
            RecordingController.calls = []
            let controller = RecordingController("a")
            #expect(!controller.isViewLoaded && controller.viewIfLoaded == nil && RecordingController.calls.isEmpty)
            _ = controller.view
            controller.loadViewIfNeeded()
            #expect(controller.isViewLoaded && RecordingController.calls == ["a didLoad"])
        }

        /// `addChild(_:)` calls `willMove(toParent:)`, and leaves `didMove(toParent:)` to the app. `removeFromParent()` calls
        /// `didMove(toParent:)` with nil, and leaves `willMove(toParent:)` to the app.
        @Test func child_hearsOfItsParent() {
            let (parent, child) = (UIViewController(), RecordingController("a"))
            RecordingController.calls = []
            parent.addChild(child)
            #expect(child.parent === parent && parent.children == [child])
            #expect(RecordingController.calls == ["a willMove to parent"])
            child.removeFromParent()
            #expect(child.parent == nil && parent.children.isEmpty)
            #expect(RecordingController.calls == ["a willMove to parent", "a didMove to none"])
        }

        /// `addChild(_:)`: a child of another container is first removed from that.
        @Test func child_hasOneParent() {
            let (first, second, child) = (UIViewController(), UIViewController(), UIViewController())
            first.addChild(child)
            second.addChild(child)
            #expect(first.children.isEmpty && second.children == [child] && child.parent === second)
        }

        /// `shouldAutomaticallyForwardAppearanceMethods` is true by default: the methods of appearance reach the children
        /// whose views are in the container's view.
        @Test func child_appearsAndDisappearsWithItsView() async throws {
            let (parent, child) = (UIViewController(), RecordingController("a"))
            try await Screen.run(parent) { screen in
                parent.addChild(child)
                parent.view.addSubview(child.view)
                let appearing = ["a didLoad", "a willAppear", "a isAppearing in its window", "a didAppear"]
                #expect(await screen.calls() == ["a willMove to parent"] + appearing)
                child.view.removeFromSuperview()
                child.removeFromParent()
                #expect(await screen.calls() == ["a didMove to none", "a willDisappear", "a didDisappear"])
            }
        }

        /// `UISplitViewController.isCollapsed`: only one of the children is shown. `showDetailViewController(_:sender:)` shows
        /// another one.
        @Test func splitView_isCollapsed() async throws {
            let split = UISplitViewController(style: .doubleColumn)
            split.setViewController(RecordingController("list"), for: .primary)
            try await Screen.run(split) { screen in
                #expect(split.isCollapsed)
                split.showDetailViewController(RecordingController("detail"), sender: nil)
                let calls = await screen.calls()
                #expect(calls.contains("detail didAppear") && calls.contains("list didDisappear"))
            }
        }

        /// `show(_:sender:)`: a navigation controller pushes it; without a container that shows it, it is presented.
        @Test func show_pushes_orPresents() async throws {
            let (root, shown) = (UIViewController(), UIViewController())
            let stack = UINavigationController(rootViewController: root)
            try await Screen.run(stack) { _ in
                root.show(shown, sender: nil)
                #expect(stack.topViewController === shown)
            }
            let alone = UIViewController()
            try await Screen.run(alone) { _ in
                alone.show(UIViewController(), sender: nil)
                await Transitions.shared.settled()
                #expect(alone.presentedViewController != nil)
            }
        }
    }
}
