import HeadlessViews

extension UIViewController {
    func beginAppearing(animated: Bool) {
        loadViewIfNeeded()
        viewWillAppear(animated)
        mount()
        viewIsAppearing(animated)
    }

    func finishAppearing(animated: Bool) {
        viewWillLayoutSubviews()
        view.layoutIfNeeded()
        viewDidLayoutSubviews()
        viewDidAppear(animated)
    }

    func beginDisappearing(animated: Bool) { viewWillDisappear(animated) }

    func finishDisappearing(animated: Bool) {
        if isMountedForIt { viewIfLoaded?.removeFromSuperview() }
        viewDidDisappear(animated)
    }

    /// Puts the view where it is shown: into the container, or into the window.
    private func mount() {
        if let parent {
            if parent.mountsChildren { parent.view.addSubview(view) }
        } else if let window {
            view.frame = window.bounds
            window.addSubview(view)
        }
    }

    /// Whether UIKit, and not the app, has put the view where it is.
    private var isMountedForIt: Bool {
        parent?.mountsChildren ?? true
    }

    /// The window whose root controller this is, or presents this one.
    var window: UIWindow? {
        Transitions.shared.windows.first { window in
            var controller = window.rootViewController
            while let candidate = controller {
                if candidate === self { return true }
                controller = candidate.presented
            }
            return false
        }
    }

    /// Whether the controller disappears because something is presented over it, or because it is dismissed itself.
    var isHiddenByPresentation: Bool {
        let root = outermost
        let isCovered = root.presented?.modalPresentationStyle.coversPresenter ?? false
        return !isMovingFromParent && (isCovered || root.isBeingDismissed)
    }

    /// The container that contains this controller and is contained by none.
    var outermost: UIViewController { parent?.outermost ?? self }
}
