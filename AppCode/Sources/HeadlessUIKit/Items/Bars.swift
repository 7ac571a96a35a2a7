public import HeadlessViews

/// How a bar looks. It is kept, because nothing is drawn.
@preconcurrency @MainActor open class UIBarAppearance: NSObject {
    open var backgroundColor: UIColor?
    open var backgroundEffect: UIBlurEffect?
    open var backgroundImage: UIImage?
    open var shadowColor: UIColor?
    open var shadowImage: UIImage?

    public override init() { super.init() }
    public init(barAppearance: UIBarAppearance) { backgroundColor = barAppearance.backgroundColor }

    open func configureWithDefaultBackground() {}
    open func configureWithOpaqueBackground() {}
    open func configureWithTransparentBackground() {}
}

open class UINavigationBarAppearance: UIBarAppearance {
    open var titleTextAttributes: [NSAttributedString.Key: Any] = [:]
    open var largeTitleTextAttributes: [NSAttributedString.Key: Any] = [:]
    open lazy var buttonAppearance = UIBarButtonItemAppearance()
    open lazy var backButtonAppearance = UIBarButtonItemAppearance()
    open lazy var doneButtonAppearance = UIBarButtonItemAppearance()
    open func setBackIndicatorImage(_ image: UIImage?, transitionMaskImage: UIImage?) {}
}

open class UITabBarAppearance: UIBarAppearance {
    open lazy var stackedLayoutAppearance = UITabBarItemAppearance()
    open lazy var inlineLayoutAppearance = UITabBarItemAppearance()
    open lazy var compactInlineLayoutAppearance = UITabBarItemAppearance()
}

open class UIToolbarAppearance: UIBarAppearance {}

@preconcurrency @MainActor open class UIBarButtonItemAppearance: NSObject {
    public private(set) lazy var normal = StateAppearance()
    public private(set) lazy var highlighted = StateAppearance()
    public private(set) lazy var disabled = StateAppearance()

    @MainActor public final class StateAppearance {
        public var titleTextAttributes: [NSAttributedString.Key: Any] = [:]
    }
}

@preconcurrency @MainActor open class UITabBarItemAppearance: NSObject {
    public private(set) lazy var normal = StateAppearance()
    public private(set) lazy var selected = StateAppearance()

    @MainActor public final class StateAppearance {
        public var titleTextAttributes: [NSAttributedString.Key: Any] = [:]
        public var iconColor: UIColor?
        public var badgeBackgroundColor: UIColor?
    }
}

@preconcurrency @MainActor open class UINavigationBar: UIView {
    private static let proxy = UINavigationBar()
    /// What all bars take after. Nothing is drawn, so that it only keeps what an app sets.
    open class func appearance() -> UINavigationBar { proxy }

    open lazy var standardAppearance = UINavigationBarAppearance()
    open var compactAppearance: UINavigationBarAppearance?
    open var scrollEdgeAppearance: UINavigationBarAppearance?
    open var titleTextAttributes: [NSAttributedString.Key: Any]?
    open var largeTitleTextAttributes: [NSAttributedString.Key: Any]?
    open var prefersLargeTitles = false
    open var isTranslucent = true
    open var barTintColor: UIColor?
    open var shadowImage: UIImage?
    open var barStyle = UIBarStyle.default
    /// The items of a bar that the app itself has added to a view, the front one last.
    open var items: [UINavigationItem]?
    open var topItem: UINavigationItem? { items?.last }
    open func setBackgroundImage(_ image: UIImage?, for metrics: UIBarMetrics) {}
}

public enum UIBarStyle: Int, Sendable { case `default`, black }
public enum UIBarMetrics: Int, Sendable { case `default`, compact }

@preconcurrency @MainActor open class UITabBar: UIView {
    private static let proxy = UITabBar()
    open class func appearance() -> UITabBar { proxy }

    open weak var delegate: (any UITabBarDelegate)?
    open lazy var standardAppearance = UITabBarAppearance()
    open var scrollEdgeAppearance: UITabBarAppearance?
    open var items: [UITabBarItem]?
    open var isTranslucent = true
    open var barTintColor: UIColor?
    open var unselectedItemTintColor: UIColor?
    /// The controller whose bar this is.
    weak var controller: UITabBarController?
    private var ownSelectedItem: UITabBarItem?

    /// The item of the selected tab. The bar of a controller follows its controller.
    open var selectedItem: UITabBarItem? {
        get { controller.map { $0.selectedViewController?.tabBarItem } ?? ownSelectedItem }
        set { ownSelectedItem = newValue }
    }
}

@preconcurrency @MainActor open class UIToolbar: UIView {
    private static let proxy = UIToolbar()
    open class func appearance() -> UIToolbar { proxy }

    open lazy var standardAppearance = UIToolbarAppearance()
    open var scrollEdgeAppearance: UIToolbarAppearance?
    open var items: [UIBarButtonItem]?
    open var isTranslucent = true
    open var barTintColor: UIColor?
    open func setItems(_ items: [UIBarButtonItem]?, animated: Bool) { self.items = items }
}

open class UIVisualEffect: NSObject {}

open class UIBlurEffect: UIVisualEffect {
    public enum Style: Int, Sendable {
        case extraLight, light, dark, regular = 4, prominent, systemUltraThinMaterial, systemThinMaterial,
            systemMaterial
        case systemThickMaterial, systemChromeMaterial
    }

    public init(style: Style) {}
}

@preconcurrency @MainActor open class UIVisualEffectView: UIView {
    open var effect: UIVisualEffect?
    public private(set) lazy var contentView: UIView = {
        let view = UIView()
        addSubview(view)
        return view
    }()

    public convenience init(effect: UIVisualEffect?) {
        self.init(frame: .zero)
        self.effect = effect
    }
}
