import HeadlessUIKit

/// A tree of views that a view controller shows: a window's, a tab's, a pushed or a presented one.
@MainActor final class Screen {
    private(set) var root: Node
    private(set) weak var controller: UIViewController?
    /// Dismisses what the screen is presented as, or pops it.
    var onDismiss: (() -> Void)?
    private(set) var isVisible = false
    private var isLoaded = false
    private let placement = Placement()
    private var toolbar = ToolbarItems()
    private var search: ScreenSearch?
    var isPresented: Bool { onDismiss != nil }

    /// A screen with views of its own.
    init(_ view: any View, parent: Node? = nil, _ environment: EnvironmentValues = EnvironmentValues()) {
        root = GroupNode(AnyView(erasing: EmptyView()), parent: parent, environment)
        setRoot(view, environment)
        Updates.add(self)
    }

    /// A screen for views that are in another's tree, such as a tab.
    init(adopting node: Node) {
        root = node
        node.ownScreen = self
        Updates.add(self)
    }

    func setRoot(_ view: any View, _ environment: EnvironmentValues) {
        var environment = environment
        environment.screenReference = self
        root.ownScreen = self
        let node = root
        func wrap<Content: View>(_ view: Content) -> AnyView { AnyView(view) }
        (node as? TypedNode<AnyView>)?.receive(wrap(view), environment)
        Updates.schedule()
    }

    func attach(_ controller: UIViewController) { self.controller = controller }

    func dismiss() { onDismiss?() }

    /// The controller's view is there.
    func load() {
        isLoaded = true
        update()
    }

    func setVisible(_ isVisible: Bool) {
        self.isVisible = isVisible
        root.setAppeared(isVisible)
        Updates.schedule()
    }

    /// Shows what the views say now.
    func update() {
        guard isLoaded, let controller, root.isMounted else { return }
        controller.typeName = "UIHostingController<\(root.shownType)>"
        placement.place(root.views, in: controller.view)
        root.layOut()
        show(root.chrome, in: controller)
        if isVisible { root.setAppeared(true) }
    }

    /// The views are gone.
    func end() {
        root.unmount()
        placement.removeAll()
    }

    private func show(_ chrome: Chrome, in controller: UIViewController) {
        if let title = chrome.title { controller.navigationItem.title = title }
        if let hides = chrome.hidesBackButton { controller.navigationItem.hidesBackButton = hides }
        toolbar.show(chrome, in: controller)
        showSearch(chrome, in: controller)
        if isVisible, let isHidden = chrome.isBarHidden {
            controller.navigationController?.isNavigationBarHidden = isHidden
        }
        // What covers the screen, so that it is not visible, can be dismissed nevertheless.
        for presentation in chrome.presentations where isVisible || presentation.isShown {
            presentation.show(from: controller)
        }
    }

    private func showSearch(_ chrome: Chrome, in controller: UIViewController) {
        guard let (prompt, text) = chrome.search else { return }
        let search = self.search ?? ScreenSearch()
        self.search = search
        search.text = text
        search.controller.searchBar.placeholder = prompt
        controller.navigationItem.searchController = search.controller
    }
}

/// The search bar of a screen.
private final class ScreenSearch: NSObject, UISearchResultsUpdating {
    let controller = UISearchController(searchResultsController: nil)
    var text: Binding<String>?

    override init() {
        super.init()
        controller.searchResultsUpdater = self
    }

    func updateSearchResults(for searchController: UISearchController) {
        text?.wrappedValue = searchController.searchBar.text ?? ""
    }
}

/// The buttons in the bars of a screen. Each view of a toolbar becomes a bar button that is tapped like the view.
@MainActor private struct ToolbarItems {
    private var items: [ObjectIdentifier: UIBarButtonItem] = [:]
    private var isUsed = false

    mutating func show(_ chrome: Chrome, in controller: UIViewController) {
        let isUsedNow = !(chrome.leading + chrome.trailing + chrome.bottom).isEmpty
        // A controller's own buttons stay.
        guard isUsed || isUsedNow else { return }
        isUsed = true
        let old = items
        items = [:]
        let leading = make(chrome.leading, old)
        let trailing = make(chrome.trailing, old)
        let bottom = make(chrome.bottom, old)
        controller.navigationItem.leftBarButtonItems = leading
        controller.navigationItem.rightBarButtonItems = trailing
        controller.toolbarItems = bottom
    }

    private mutating func make(_ nodes: [Node], _ old: [ObjectIdentifier: UIBarButtonItem]) -> [UIBarButtonItem] {
        nodes.flatMap { (node: Node) -> [UIView] in
            node.layOut()
            return node.views
        }.filter { !$0.isHidden }.map { view in
            let item = old[ObjectIdentifier(view)] ?? UIBarButtonItem(customView: view)
            items[ObjectIdentifier(view)] = item
            if let button = view as? UIButton {
                item.title = button.currentTitle
                item.image = button.currentImage
                item.menu = button.menu
                item.isEnabled = button.isEnabled
                item.accessibilityLabel = button.accessibilityLabel
            }
            return item
        }
    }
}
