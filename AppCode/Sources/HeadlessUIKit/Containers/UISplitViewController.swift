public import HeadlessViews

/// Columns of view controllers. On a phone, which this is, they collapse: the last one that was shown is visible.
@preconcurrency @MainActor open class UISplitViewController: UIViewController {
    public enum Style: Int, Sendable { case unspecified, doubleColumn, tripleColumn }
    public enum Column: Int, Sendable { case primary, supplementary, secondary, compact }
    public enum DisplayMode: Int, Sendable { case automatic, secondaryOnly, oneBesideSecondary, oneOverSecondary }

    open weak var delegate: (any UISplitViewControllerDelegate)?
    open var preferredDisplayMode = DisplayMode.automatic
    open var presentsWithGesture = true
    open var isCollapsed: Bool { true }
    public private(set) var style = Style.unspecified

    public convenience init(style: Style) {
        self.init(nibName: nil, bundle: nil)
        self.style = style
    }

    open var viewControllers: [UIViewController] {
        get { children }
        set {
            for controller in children { controller.parent = nil }
            children = newValue
            for controller in newValue { controller.parent = self }
            Transitions.shared.setNeedsUpdate()
        }
    }

    open func setViewController(_ viewController: UIViewController?, for column: Column) {
        guard let viewController else { return }
        viewControllers = children.filter { $0 !== viewController } + [viewController]
    }

    open override func showDetailViewController(_ viewController: UIViewController, sender: Any?) {
        viewControllers = children.filter { $0 !== viewController } + [viewController]
    }

    override var visibleChildren: [UIViewController] { children.suffix(1) }
    override var mountsChildren: Bool { true }
}

@preconcurrency @MainActor public protocol UISplitViewControllerDelegate: NSObjectProtocol {}
