public import HeadlessViews

/// What a view controller shows in the navigation bar.
@preconcurrency @MainActor open class UINavigationItem: NSObject {
    public enum BackButtonDisplayMode: Int, Sendable { case `default`, generic, minimal }
    public enum LargeTitleDisplayMode: Int, Sendable { case automatic, always, never }

    open var title: String?
    open var subtitle: String?
    open var prompt: String?
    open var titleView: UIView?
    open var backButtonTitle: String?
    open var backBarButtonItem: UIBarButtonItem?
    open var backButtonDisplayMode = BackButtonDisplayMode.default
    open var largeTitleDisplayMode = LargeTitleDisplayMode.automatic
    open var hidesBackButton = false
    open var leftItemsSupplementBackButton = false
    open var leftBarButtonItems: [UIBarButtonItem]?
    open var rightBarButtonItems: [UIBarButtonItem]?
    open var searchController: UISearchController?
    open var hidesSearchBarWhenScrolling = true
    open var standardAppearance: UINavigationBarAppearance?
    open var compactAppearance: UINavigationBarAppearance?
    open var scrollEdgeAppearance: UINavigationBarAppearance?

    public override init() { super.init() }

    public convenience init(title: String) {
        self.init()
        self.title = title
    }

    /// The first of `leftBarButtonItems`. Setting it replaces the first and keeps the others.
    open var leftBarButtonItem: UIBarButtonItem? {
        get { leftBarButtonItems?.first }
        set { leftBarButtonItems = replacingFirst(of: leftBarButtonItems, with: newValue) }
    }

    /// The first of `rightBarButtonItems`, which is the outermost. Setting it replaces the first and keeps the others.
    open var rightBarButtonItem: UIBarButtonItem? {
        get { rightBarButtonItems?.first }
        set { rightBarButtonItems = replacingFirst(of: rightBarButtonItems, with: newValue) }
    }

    private func replacingFirst(of items: [UIBarButtonItem]?, with item: UIBarButtonItem?) -> [UIBarButtonItem]? {
        let result = (item.map { [$0] } ?? []) + (items ?? []).dropFirst()
        return result.isEmpty ? nil : result
    }

    open func setLeftBarButton(_ item: UIBarButtonItem?, animated: Bool) { leftBarButtonItem = item }
    open func setRightBarButton(_ item: UIBarButtonItem?, animated: Bool) { rightBarButtonItem = item }
    open func setLeftBarButtonItems(_ items: [UIBarButtonItem]?, animated: Bool) { leftBarButtonItems = items }
    open func setRightBarButtonItems(_ items: [UIBarButtonItem]?, animated: Bool) { rightBarButtonItems = items }
    open func setHidesBackButton(_ hidesBackButton: Bool, animated: Bool) { self.hidesBackButton = hidesBackButton }
}
