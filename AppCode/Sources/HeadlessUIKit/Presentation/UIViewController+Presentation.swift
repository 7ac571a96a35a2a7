import HeadlessViews

extension UIViewController {
    /// Presents a controller from the outermost container of this one, as UIKit does for all styles but
    /// `.currentContext`.
    func presentFromOutermost(_ controller: UIViewController, animated: Bool, completion: (() -> Void)?) {
        let presenter = outermost
        if let refusal = presenter.refusal(toPresent: controller) { return Transitions.shared.warn(refusal) }
        if let leaving = presenter.presented, leaving.isBeingDismissed {
            Transitions.shared.warn(
                "\(controller.name) is presented while \(leaving.name) is being dismissed. It waits here; a device may refuse "
                    + "it. Present it in the completion of dismiss(animated:completion:).")
            return Transitions.shared.setNeedsUpdate(didFinish: {
                presenter.presentFromOutermost(controller, animated: animated, completion: completion)
            })
        }
        presenter.presented = controller
        controller.presenter = presenter
        controller.isBeingPresented = true
        controller.isBeingDismissed = false
        controller.loadViewIfNeeded()
        let end = {
            controller.isBeingPresented = false
            completion?()
        }
        Transitions.shared.setNeedsUpdate(animated: animated, didFinish: end)
    }

    /// Says why UIKit would not present the controller, in UIKit's words.
    private func refusal(toPresent controller: UIViewController) -> String? {
        if controller === self { return "Application tried to present modally a view controller on itself: \(name)." }
        if let presented, !presented.isBeingDismissed {
            return "Attempt to present \(controller.name) on \(name), which is already presenting \(presented.name)."
        }
        if let presenter = controller.presenter, !controller.isBeingDismissed {
            return "Attempt to present \(controller.name), which \(presenter.name) is already presenting."
        }
        if controller.parent != nil {
            return "Attempt to present \(controller.name), which has a parent view controller."
        }
        if window == nil {
            return "Attempt to present \(controller.name) on \(name), whose view is not in the window hierarchy."
        }
        return nil
    }

    /// Dismisses what this controller or an ancestor presents, with everything above it. If they present nothing,
    /// dismisses the presented controller that this one is in.
    func dismissNearest(animated: Bool, completion: (() -> Void)?) {
        var candidate: UIViewController? = self
        while let controller = candidate, controller.presented == nil { candidate = controller.parent }
        guard let presenter = candidate ?? presentingViewController, let presented = presenter.presented else {
            completion?()
            return
        }
        guard !presented.isBeingDismissed else {
            return Transitions.shared.setNeedsUpdate(didFinish: completion)
        }
        presented.isBeingDismissed = true
        if !animated { presenter.drop(presented) }
        let end = {
            presenter.drop(presented)
            presented.isBeingDismissed = false
            completion?()
        }
        Transitions.shared.setNeedsUpdate(animated: animated, didFinish: end)
    }

    /// Ends the presentation of a controller and of everything above it.
    private func drop(_ presented: UIViewController) {
        guard self.presented === presented else { return }
        if let above = presented.presented { presented.drop(above) }
        self.presented = nil
        presented.presenter = nil
    }

    /// Acts as if the user had pulled the sheet down. (Not in UIKit.)
    /// - Returns: false if the controller is not presented, or if it or its delegate does not allow it.
    @discardableResult
    public func swipeDown() -> Bool {
        guard let presenter, let controller = presentationController, modalPresentationStyle.canBePulledDown else {
            return false
        }
        guard !isModalInPresentation, controller.delegate?.presentationControllerShouldDismiss(controller) ?? true
        else {
            controller.delegate?.presentationControllerDidAttemptToDismiss(controller)
            return false
        }
        controller.delegate?.presentationControllerWillDismiss(controller)
        presenter.dismiss(animated: true) { controller.delegate?.presentationControllerDidDismiss(controller) }
        return true
    }

    /// The name of the class, for warnings.
    var name: String { String(describing: type(of: self)) }
}
