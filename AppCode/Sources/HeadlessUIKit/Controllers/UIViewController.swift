@_spi(UIKit) public import HeadlessViews

/// A controller of a view, of its children and of what it presents.
@preconcurrency @MainActor open class UIViewController: UIResponder {
    open lazy var navigationItem = UINavigationItem()
    /// Setting it also sets the title of the navigation item and of the tab bar item.
    open var title: String? {
        didSet {
            navigationItem.title = title
            tabBarItem.title = title
        }
    }
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals, because UIKit declares it so.
    open lazy var tabBarItem: UITabBarItem! = UITabBarItem(title: title, image: nil, selectedImage: nil)
    open var toolbarItems: [UIBarButtonItem]?
    open var hidesBottomBarWhenPushed = false
    open var definesPresentationContext = false
    open var providesPresentationContextTransitionStyle = false
    open var edgesForExtendedLayout = UIRectEdge.all
    open var extendedLayoutIncludesOpaqueBars = false
    open var automaticallyAdjustsScrollViewInsets = true
    open var additionalSafeAreaInsets = UIEdgeInsets.zero
    public private(set) lazy var topLayoutGuide = UILayoutGuide()
    public private(set) lazy var bottomLayoutGuide = UILayoutGuide()
    open var preferredContentSize = CGSize.zero
    open var overrideUserInterfaceStyle = UIUserInterfaceStyle.unspecified
    open var traitCollection: UITraitCollection { UITraitCollection() }
    open var preferredStatusBarStyle: UIStatusBarStyle { .default }
    open var prefersStatusBarHidden: Bool { false }
    open var prefersHomeIndicatorAutoHidden: Bool { false }
    open var supportedInterfaceOrientations: UIInterfaceOrientationMask { .allButUpsideDown }
    open var shouldAutorotate: Bool { true }
    open var restorationIdentifier: String?
    open var userActivity: NSUserActivity?
    /// The storyboard that has made this controller.
    public internal(set) var storyboard: UIStoryboard?
    var scene: StoryboardScene?
    /// The nib that the controller was made for.
    public private(set) var nibName: String?
    public private(set) var nibBundle: Bundle?

    open func setToolbarItems(_ toolbarItems: [UIBarButtonItem]?, animated: Bool) { self.toolbarItems = toolbarItems }
    open func setNeedsStatusBarAppearanceUpdate() {}
    open func setNeedsUpdateOfSupportedInterfaceOrientations() {}
    open func didReceiveMemoryWarning() {}
    open func traitCollectionDidChange(_ previousTraitCollection: UITraitCollection?) {}

    public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {
        super.init()
        (nibName, nibBundle) = (nibNameOrNil, nibBundleOrNil)
    }
    public convenience override init() { self.init(nibName: nil, bundle: nil) }
    /// Makes a controller with an empty view. Archives are not read.
    public required init?(coder: NSCoder) { super.init() }

    open override var next: UIResponder? { viewIfLoaded?.superview ?? parent ?? presentingViewController }

    /// What the stacks of `app.state` call the controller, if its class does not say enough.
    package var typeName: String?
    package var shownName: String { typeName ?? "\(type(of: self))" }

    // MARK: The view

    private var loadedView: UIView?

    /// The view, which is made when it is asked for first.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals, because UIKit declares it so.
    open var view: UIView! {
        get {
            loadViewIfNeeded()
            return loadedView
        }
        set {
            loadedView?.viewController = nil
            loadedView = newValue
            newValue?.viewController = self
        }
    }
    open var viewIfLoaded: UIView? { loadedView }
    open var isViewLoaded: Bool { loadedView != nil }

    /// Makes the view: that of the storyboard or of the nib, or an empty one. The app overrides it to make its own, and does
    /// not call it.
    open func loadView() {
        if let scene, scene.hasView { return scene.loadView(of: self) }
        if let nib = nibName ?? defaultNib { UINib(nibName: nib, bundle: nibBundle).loadView(of: self) }
        if loadedView == nil { view = UIView(frame: UIScreen.main.bounds) }
    }

    /// The nib with the name of the class, which UIKit takes if the app names none.
    private var defaultNib: String? {
        guard scene == nil, type(of: self) != UIViewController.self, UINib.exists(name, in: nibBundle) else {
            return nil
        }
        return name
    }

    // MARK: Segues

    open func performSegue(withIdentifier identifier: String, sender: Any?) {
        performStoryboardSegue(identifier, sender: sender)
    }

    /// Called before the segue of a control, not before that of `performSegue(withIdentifier:sender:)`.
    open func shouldPerformSegue(withIdentifier identifier: String, sender: Any?) -> Bool { true }
    open func prepare(for segue: UIStoryboardSegue, sender: Any?) {}

    open func loadViewIfNeeded() {
        guard loadedView == nil else { return }
        loadView()
        viewDidLoad()
    }

    open func viewDidLoad() {}
    open func viewWillLayoutSubviews() {}
    open func viewDidLayoutSubviews() {}
    open func viewSafeAreaInsetsDidChange() {}

    // MARK: Appearance

    open func viewWillAppear(_ animated: Bool) {}
    /// Called when the view is in its window, before it is shown.
    open func viewIsAppearing(_ animated: Bool) {}
    open func viewDidAppear(_ animated: Bool) {}
    open func viewWillDisappear(_ animated: Bool) {}
    open func viewDidDisappear(_ animated: Bool) {}

    // MARK: Children

    open internal(set) weak var parent: UIViewController?
    open internal(set) var children: [UIViewController] = []
    /// Whether the controller is being added to a parent. It is true in `viewWillAppear` and `viewDidAppear`.
    open internal(set) var isMovingToParent = false
    open internal(set) var isMovingFromParent = false

    open func addChild(_ childController: UIViewController) {
        childController.removeFromParent()
        childController.willMove(toParent: self)
        childController.parent = self
        children.append(childController)
        Transitions.shared.setNeedsUpdate()
    }

    open func removeFromParent() {
        guard let parent else { return }
        parent.children.removeAll { $0 === self }
        self.parent = nil
        didMove(toParent: nil)
        Transitions.shared.setNeedsUpdate()
    }

    /// Called before the controller is added to a parent, or removed (nil).
    open func willMove(toParent parent: UIViewController?) {}
    open func didMove(toParent parent: UIViewController?) {}

    /// The children that are on screen when this controller is: those whose views are in its view.
    var visibleChildren: [UIViewController] {
        guard let view = viewIfLoaded else { return [] }
        return children.filter { $0.viewIfLoaded?.isDescendant(of: view) ?? false }
    }

    /// Whether this controller itself puts its visible children's views into its view.
    var mountsChildren: Bool { false }

    // MARK: Presentation

    /// What this controller, and not an ancestor, presents.
    var presented: UIViewController?
    weak var presenter: UIViewController?
    open var modalTransitionStyle = UIModalTransitionStyle.coverVertical
    /// Whether the user cannot pull the sheet down.
    open var isModalInPresentation = false
    open internal(set) var isBeingPresented = false
    open internal(set) var isBeingDismissed = false
    private var chosenStyle = UIModalPresentationStyle.automatic

    /// If it is `.automatic`, UIKit reads it back as the style that it resolves to, which is `.formSheet` since iOS 18.
    open var modalPresentationStyle: UIModalPresentationStyle {
        get { chosenStyle == .automatic ? .formSheet : chosenStyle }
        set { chosenStyle = newValue }
    }

    open private(set) lazy var sheetPresentationController: UISheetPresentationController? =
        UISheetPresentationController(presentedViewController: self, presenting: nil)
    open private(set) lazy var popoverPresentationController: UIPopoverPresentationController? =
        UIPopoverPresentationController(presentedViewController: self, presenting: nil)
    open var presentationController: UIPresentationController? {
        modalPresentationStyle == .popover ? popoverPresentationController : sheetPresentationController
    }

    open var presentedViewController: UIViewController? { presented ?? parent?.presentedViewController }
    open var presentingViewController: UIViewController? { presenter ?? parent?.presentingViewController }

    open func present(
        _ viewControllerToPresent: UIViewController, animated flag: Bool, completion: (() -> Void)? = nil
    ) {
        presentFromOutermost(viewControllerToPresent, animated: flag, completion: completion)
    }

    open func dismiss(animated flag: Bool, completion: (() -> Void)? = nil) {
        dismissNearest(animated: flag, completion: completion)
    }

    /// Pushes a controller in the nearest navigation controller. If there is none, presents it.
    open func show(_ viewController: UIViewController, sender: Any?) {
        guard let navigationController else { return present(viewController, animated: true) }
        navigationController.pushViewController(viewController, animated: true)
    }

    open func showDetailViewController(_ viewController: UIViewController, sender: Any?) {
        show(viewController, sender: sender)
    }
}

extension UIViewController {
    public var navigationController: UINavigationController? { nearestAncestor() }
    public var tabBarController: UITabBarController? { nearestAncestor() }
    public var splitViewController: UISplitViewController? { nearestAncestor() }

    private func nearestAncestor<Ancestor: UIViewController>() -> Ancestor? {
        parent as? Ancestor ?? parent?.nearestAncestor()
    }
}
