public import HeadlessViews

/// A controller with tabs, of which one is shown.
@preconcurrency @MainActor open class UITabBarController: UIViewController, UITabBarDelegate {
    open weak var delegate: (any UITabBarControllerDelegate)?
    public private(set) lazy var tabBar: UITabBar = {
        let bar = UITabBar()
        bar.controller = self
        return bar
    }()
    open var isTabBarHidden = false
    private var index = 0
    private var givenTabs: [UITab] = []

    /// Called when the user has tapped a tab.
    open func tabBar(_ tabBar: UITabBar, didSelect item: UITabBarItem) {}

    open func setTabBarHidden(_ hidden: Bool, animated: Bool) { isTabBarHidden = hidden }

    /// Tabs that make their view controllers. Setting `viewControllers` empties the list.
    open var tabs: [UITab] {
        get { givenTabs }
        set {
            givenTabs = newValue
            contain(newValue.compactMap(\.viewController))
        }
    }

    open func setTabs(_ tabs: [UITab], animated: Bool) { self.tabs = tabs }

    open var viewControllers: [UIViewController]? {
        get { children }
        set { setViewControllers(newValue, animated: false) }
    }

    open func setViewControllers(_ viewControllers: [UIViewController]?, animated: Bool) {
        givenTabs = []
        contain(viewControllers ?? [])
    }

    /// Setting it to an index without a tab has no effect.
    open var selectedIndex: Int {
        get { index }
        set {
            guard children.indices.contains(newValue) else { return }
            index = newValue
            Transitions.shared.setNeedsUpdate()
        }
    }

    open var selectedViewController: UIViewController? {
        get { children.indices.contains(index) ? children[index] : nil }
        set { if let new = children.firstIndex(where: { $0 === newValue }) { selectedIndex = new } }
    }

    open var selectedTab: UITab? {
        get { givenTabs.indices.contains(index) ? givenTabs[index] : nil }
        set { if let new = givenTabs.firstIndex(where: { $0 === newValue }) { selectedIndex = new } }
    }

    override var visibleChildren: [UIViewController] { selectedViewController.map { [$0] } ?? [] }
    override var mountsChildren: Bool { true }

    /// The selected controller stays selected if it is still there; otherwise the first is selected.
    private func contain(_ controllers: [UIViewController]) {
        let selected = selectedViewController
        let removed = children.filter { child in !controllers.contains { $0 === child } }
        let added = controllers.filter { controller in !children.contains { $0 === controller } }
        for controller in removed {
            controller.willMove(toParent: nil)
            controller.parent = nil
        }
        for controller in added {
            controller.willMove(toParent: self)
            controller.parent = self
        }
        children = controllers
        index = controllers.firstIndex { $0 === selected } ?? 0
        tabBar.items = controllers.compactMap(\.tabBarItem)
        for controller in removed { controller.didMove(toParent: nil) }
        for controller in added { controller.didMove(toParent: self) }
        Transitions.shared.setNeedsUpdate()
    }

    /// Acts as if the user had tapped a tab. Unlike `selectedIndex`, this asks and tells the delegate. (Not in UIKit.)
    /// - Returns: false if there is no such tab, or if the delegate does not allow it.
    @discardableResult
    public func tapTab(at index: Int) -> Bool {
        guard children.indices.contains(index) else { return false }
        let (controller, previous) = (children[index], selectedTab)
        let tab = givenTabs.indices.contains(index) ? givenTabs[index] : nil
        let isAllowed =
            tab.map { delegate?.tabBarController(self, shouldSelectTab: $0) ?? true }
            ?? (delegate?.tabBarController(self, shouldSelect: controller) ?? true)
        guard isAllowed else { return false }
        if let item = controller.tabBarItem { tabBar(tabBar, didSelect: item) }
        selectedIndex = index
        if let tab {
            delegate?.tabBarController(self, didSelectTab: tab, previousTab: previous)
        } else {
            delegate?.tabBarController(self, didSelect: controller)
        }
        return true
    }
}

@preconcurrency @MainActor public protocol UITabBarControllerDelegate: NSObjectProtocol {
    func tabBarController(
        _ tabBarController: UITabBarController, shouldSelect viewController: UIViewController
    ) -> Bool
    func tabBarController(_ tabBarController: UITabBarController, didSelect viewController: UIViewController)
    func tabBarController(_ tabBarController: UITabBarController, shouldSelectTab tab: UITab) -> Bool
    func tabBarController(_ tabBarController: UITabBarController, didSelectTab selectedTab: UITab, previousTab: UITab?)
}

extension UITabBarControllerDelegate {
    public func tabBarController(
        _ tabBarController: UITabBarController, shouldSelect viewController: UIViewController
    ) -> Bool { true }
    public func tabBarController(_ tabBarController: UITabBarController, didSelect viewController: UIViewController) {}
    public func tabBarController(_ tabBarController: UITabBarController, shouldSelectTab tab: UITab) -> Bool { true }
    public func tabBarController(
        _ tabBarController: UITabBarController, didSelectTab selectedTab: UITab, previousTab: UITab?
    ) {}
}

/// A tab that makes its view controller when it is asked for first.
@preconcurrency @MainActor open class UITab: NSObject {
    open var title: String
    open var image: UIImage?
    open var badgeValue: String?
    public let identifier: String
    private let provider: ((UITab) -> UIViewController)?
    open private(set) lazy var viewController: UIViewController? = provider?(self)

    public init(
        title: String, image: UIImage?, identifier: String, viewControllerProvider: ((UITab) -> UIViewController)? = nil
    ) {
        (self.title, self.image, self.identifier, provider) = (title, image, identifier, viewControllerProvider)
    }
}

open class UISearchTab: UITab {
    public init(
        title: String = "Search", image: UIImage? = nil, viewControllerProvider: ((UITab) -> UIViewController)? = nil
    ) {
        super.init(
            title: title, image: image, identifier: "search", viewControllerProvider: viewControllerProvider)
    }

    public override init(
        title: String, image: UIImage?, identifier: String, viewControllerProvider: ((UITab) -> UIViewController)? = nil
    ) {
        super.init(
            title: title, image: image, identifier: identifier, viewControllerProvider: viewControllerProvider)
    }
}
