public import HeadlessViews

/// A stack of view controllers, of which the top one is shown.
///
/// `viewControllers` changes at once. The callbacks about appearance and `didMove(toParent:)` come with the transition.
@preconcurrency @MainActor open class UINavigationController: UIViewController {
    open weak var delegate: (any UINavigationControllerDelegate)?
    public private(set) lazy var navigationBar = UINavigationBar()
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals, because UIKit declares it so.
    public private(set) lazy var toolbar: UIToolbar! = UIToolbar()
    open var isNavigationBarHidden = false
    open var isToolbarHidden = true
    open var hidesBarsOnSwipe = false
    open var hidesBarsOnTap = false
    open var hidesBarsWhenKeyboardAppears = false
    public private(set) lazy var interactivePopGestureRecognizer: UIGestureRecognizer? =
        UIScreenEdgePanGestureRecognizer(target: nil, action: nil)

    public override init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {
        super.init(nibName: nibNameOrNil, bundle: nibBundleOrNil)
    }

    public init(rootViewController: UIViewController) {
        super.init(nibName: nil, bundle: nil)
        setViewControllers([rootViewController], animated: false)
    }

    public init(navigationBarClass: AnyClass?, toolbarClass: AnyClass?) { super.init(nibName: nil, bundle: nil) }

    public required init?(coder: NSCoder) { super.init(coder: coder) }

    open func setNavigationBarHidden(_ hidden: Bool, animated: Bool) { isNavigationBarHidden = hidden }
    open func setToolbarHidden(_ hidden: Bool, animated: Bool) { isToolbarHidden = hidden }

    open var viewControllers: [UIViewController] {
        get { children }
        set { setViewControllers(newValue, animated: false) }
    }
    open var topViewController: UIViewController? { children.last }
    /// What the top controller or this one presents, or else the top controller.
    open var visibleViewController: UIViewController? { presentedViewController ?? topViewController }

    override var visibleChildren: [UIViewController] { children.suffix(1) }
    override var mountsChildren: Bool { true }

    /// Replaces the stack. UIKit raises an exception if a controller is in it twice; here nothing changes then.
    open func setViewControllers(_ viewControllers: [UIViewController], animated: Bool) {
        guard Set(viewControllers.map(ObjectIdentifier.init)).count == viewControllers.count else {
            return Transitions.shared.warn(
                "All view controllers in a navigation controller must be distinct, so the stack stays as it is. A device "
                    + "would end the app.")
        }
        change(to: viewControllers, animated: animated)
    }

    /// Puts a controller on top. UIKit raises an exception if the stack already contains it; here nothing changes then.
    open func pushViewController(_ viewController: UIViewController, animated: Bool) {
        guard !children.contains(where: { $0 === viewController }) else {
            return Transitions.shared.warn(
                "\(viewController.name) is in the stack already, so it is not pushed again. A device would end the app."
            )
        }
        change(to: children + [viewController], animated: animated)
    }

    /// - Returns: the controller that was on top, or nil if it is the root, which stays.
    @discardableResult
    open func popViewController(animated: Bool) -> UIViewController? {
        guard children.count > 1, let top = children.last else { return nil }
        change(to: children.dropLast(), animated: animated)
        return top
    }

    /// - Returns: the controllers that were above it, the lowest first.
    @discardableResult
    open func popToViewController(_ viewController: UIViewController, animated: Bool) -> [UIViewController]? {
        guard let index = children.firstIndex(where: { $0 === viewController }) else {
            Transitions.shared.warn("\(viewController.name) is not in the stack, so nothing is popped.")
            return nil
        }
        let popped = Array(children.dropFirst(index + 1))
        change(to: Array(children.prefix(index + 1)), animated: animated)
        return popped
    }

    @discardableResult
    open func popToRootViewController(animated: Bool) -> [UIViewController]? {
        guard let root = children.first else { return nil }
        return popToViewController(root, animated: animated)
    }

    private func change(to stack: [UIViewController], animated: Bool) {
        let old = children
        guard !stack.elementsEqual(old, by: ===) else { return }
        let removed = old.filter { controller in !stack.contains { $0 === controller } }
        let added = stack.filter { controller in !old.contains { $0 === controller } }
        for controller in removed {
            controller.willMove(toParent: nil)
            controller.isMovingFromParent = true
        }
        for controller in added {
            controller.parent?.children.removeAll { $0 === controller }
            controller.willMove(toParent: self)
            controller.parent = self
            controller.isMovingToParent = true
        }
        children = stack
        let top = stack.last
        Transitions.shared.setNeedsUpdate(
            animated: animated,
            willBegin: { [weak self] in
                guard let self, let top, top === self.children.last else { return }
                self.delegate?.navigationController(self, willShow: top, animated: animated)
            },
            didFinish: { [weak self] in
                for controller in removed { self?.end(removing: controller) }
                for controller in added { self?.end(adding: controller) }
                guard let self, let top, top === self.children.last else { return }
                self.delegate?.navigationController(self, didShow: top, animated: animated)
            })
    }

    private func end(removing controller: UIViewController) {
        controller.isMovingFromParent = false
        // It may have been pushed again meanwhile.
        guard controller.parent === self, !children.contains(where: { $0 === controller }) else { return }
        controller.parent = nil
        controller.didMove(toParent: nil)
    }

    private func end(adding controller: UIViewController) {
        controller.isMovingToParent = false
        guard children.contains(where: { $0 === controller }) else { return }
        controller.didMove(toParent: self)
    }

    /// Acts as if the user had tapped the back button. (Not in UIKit.)
    /// - Returns: false if there is no back button.
    @discardableResult
    public func tapBack() -> Bool {
        guard !isNavigationBarHidden, topViewController?.navigationItem.hidesBackButton != true else { return false }
        return popViewController(animated: true) != nil
    }
}

@preconcurrency @MainActor public protocol UINavigationControllerDelegate: NSObjectProtocol {
    func navigationController(
        _ navigationController: UINavigationController, willShow viewController: UIViewController, animated: Bool)
    func navigationController(
        _ navigationController: UINavigationController, didShow viewController: UIViewController, animated: Bool)
}

extension UINavigationControllerDelegate {
    public func navigationController(
        _ navigationController: UINavigationController, willShow viewController: UIViewController, animated: Bool
    ) {}
    public func navigationController(
        _ navigationController: UINavigationController, didShow viewController: UIViewController, animated: Bool
    ) {}
}
