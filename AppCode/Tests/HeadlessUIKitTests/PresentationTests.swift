import HeadlessUIKit
import Testing

extension ScreenTests {
    @MainActor @Suite struct PresentationTests {
        /// `UIModalPresentationStyle.fullScreen`: the presenter's views are removed when the presentation is complete.
        @Test func fullScreen_removesThePresentersView() async throws {
            let (root, modal) = (RecordingController("root"), RecordingController("modal"))
            modal.modalPresentationStyle = .fullScreen
            try await Screen.run(root) { screen in
                root.present(modal, animated: true)
                #expect(root.presentedViewController === modal && modal.presentingViewController === root)
                #expect(
                    await screen.calls() == [
                        "modal didLoad", "root willDisappear", "modal willAppear", "modal isAppearing in its window",
                        "modal didAppear", "root didDisappear",
                    ])
                #expect(root.view.window == nil)
            }
        }

        /// `UIModalPresentationStyle.automatic`: "For most view controllers, UIKit maps this style to
        /// UIModalPresentationStyle.formSheet in iOS 18 and later".
        @Test func automaticStyle_isAFormSheet() {
            let controller = UIViewController()
            #expect(controller.modalPresentationStyle == .formSheet)
            controller.modalPresentationStyle = .fullScreen
            #expect(controller.modalPresentationStyle == .fullScreen)
            controller.modalPresentationStyle = .automatic
            #expect(controller.modalPresentationStyle == .formSheet)
        }

        /// A sheet lets the presenter's view stay: its `viewWillDisappear` is not called.
        @Test func sheet_leavesThePresenterVisible() async throws {
            let (root, modal) = (RecordingController("root"), RecordingController("modal"))
            try await Screen.run(root) { screen in
                root.present(modal, animated: true)
                #expect(await screen.calls().allSatisfy { $0.hasPrefix("modal") })
                #expect(root.view.window === screen.window)
            }
        }

        /// `present(_:animated:completion:)` and `dismiss(animated:completion:)`: the completion handler is called after the
        /// `viewDidAppear(_:)` of the presented controller, or after its `viewDidDisappear(_:)`.
        @Test func completions_comeAfterTheControllerIsTold() async throws {
            let (root, modal) = (RecordingController("root"), RecordingController("modal"))
            try await Screen.run(root) { screen in
                root.present(modal, animated: true) { RecordingController.calls.append("presented") }
                #expect(await screen.calls().suffix(2) == ["modal didAppear", "presented"])
                root.dismiss(animated: true) { RecordingController.calls.append("dismissed") }
                #expect(await screen.calls() == ["modal willDisappear", "modal didDisappear", "dismissed"])
            }
        }

        /// `isBeingDismissed` is true during a dismissal. `presentedViewController` stays until an animated one has finished.
        @Test func dismissal_ends_beforeItsCompletion() async throws {
            let (root, modal) = (RecordingController("root"), RecordingController("modal"))
            try await Screen.run(root) { screen in
                root.present(modal, animated: true)
                _ = await screen.calls()
                var presentedInCompletion: UIViewController? = modal
                root.dismiss(animated: true) { presentedInCompletion = root.presentedViewController }
                #expect(root.presentedViewController === modal && modal.isBeingDismissed)
                #expect(await screen.calls() == ["modal willDisappear", "modal didDisappear"])
                #expect(presentedInCompletion == nil && !modal.isBeingDismissed)
            }
        }

        /// `dismiss(animated:completion:)`: it dismisses what the controller presents and everything above that.
        @Test func dismissal_takesEverythingAbove() async throws {
            let (root, sheet, alert) = (
                RecordingController("root"), RecordingController("sheet"),
                UIAlertController(title: "Sure?", message: nil, preferredStyle: .alert)
            )
            try await Screen.run(root) { screen in
                root.present(sheet, animated: false)
                sheet.present(alert, animated: false)
                _ = await screen.calls()
                root.dismiss(animated: true)
                await Transitions.shared.settled()
                #expect(root.presentedViewController == nil && alert.presentingViewController == nil)
            }
        }

        /// `dismiss(animated:completion:)`: if it is called on the presented controller, UIKit asks the presenter to dismiss it.
        @Test func presentedController_dismissesItself() async throws {
            let (root, modal) = (RecordingController("root"), RecordingController("modal"))
            let stack = UINavigationController(rootViewController: modal)
            try await Screen.run(root) { screen in
                root.present(stack, animated: true)
                _ = await screen.calls()
                modal.dismiss(animated: true)
                await Transitions.shared.settled()
                #expect(root.presentedViewController == nil)
            }
        }

        @Test func refusals_sayWhy() async throws {
            let root = RecordingController("root")
            try await Screen.run(root) { screen in
                let outside = RecordingController("outside")
                outside.present(RecordingController("x"), animated: true)
                #expect(Transitions.shared.warnings.last?.contains("not in the window hierarchy") == true)
                root.present(RecordingController("first"), animated: true)
                root.present(RecordingController("second"), animated: true)
                #expect(Transitions.shared.warnings.last?.contains("already presenting") == true)
                _ = await screen.calls()
            }
        }

        /// `isModalInPresentation`: it prevents that the user dismisses the controller.
        @Test func sheet_isPulledDown_unlessItIsModal() async throws {
            let (root, modal) = (RecordingController("root"), RecordingController("modal"))
            let delegate = SheetDelegate()
            try await Screen.run(root) { screen in
                root.present(modal, animated: true)
                modal.presentationController?.delegate = delegate
                _ = await screen.calls()
                modal.isModalInPresentation = true
                #expect(!modal.swipeDown() && delegate.calls == ["didAttemptToDismiss"])
                modal.isModalInPresentation = false
                #expect(modal.swipeDown())
                await Transitions.shared.settled()
                #expect(delegate.calls == ["didAttemptToDismiss", "willDismiss", "didDismiss"])
            }
        }

        /// `UIAlertAction`'s handler runs when the user has chosen it. The alert is gone by then.
        @Test func alertsAction_runsAfterTheAlertHasGone() async throws {
            let root = RecordingController("root")
            let alert = UIAlertController(title: "Delete?", message: nil, preferredStyle: .alert)
            var chosen: [String] = []
            alert.addAction(UIAlertAction(title: "Delete", style: .destructive) { _ in chosen.append("delete") })
            alert.addAction(UIAlertAction(title: "Cancel", style: .cancel))
            try await Screen.run(root) { _ in
                root.present(alert, animated: true)
                await Transitions.shared.settled()
                #expect(!alert.tap("Remove"))
                #expect(alert.tap("Delete") && chosen.isEmpty)
                await Transitions.shared.settled()
                #expect(chosen == ["delete"] && root.presentedViewController == nil)
            }
        }
    }
}

private final class SheetDelegate: NSObject, UIAdaptivePresentationControllerDelegate {
    var calls: [String] = []

    func presentationControllerWillDismiss(_ presentationController: UIPresentationController) {
        calls.append("willDismiss")
    }
    func presentationControllerDidDismiss(_ presentationController: UIPresentationController) {
        calls.append("didDismiss")
    }
    func presentationControllerDidAttemptToDismiss(_ presentationController: UIPresentationController) {
        calls.append("didAttemptToDismiss")
    }
}
