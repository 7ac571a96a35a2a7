import HeadlessUIKit

/// A tree of views that a view controller shows: a window's, a tab's, a pushed or a presented one.
@MainActor final class Screen {
    private(set) var root: Node
    private(set) weak var controller: UIViewController?
    /// Dismisses what the screen is presented as, or pops it.
    private let onDismiss: ((Screen) -> Void)?
    private(set) var isVisible = false
    private var isLoaded = false
    private let placement = Placement()
    private var toolbar = ToolbarItems()
    private var search: ScreenSearch?
    /// What the views said last. If they say the same again, or nothing still, the controller's own values stay.
    private var said: (title: String?, hidesBackButton: Bool?) = (nil, nil)
    private var hasSetBar = false
    /// The screen around this one, such as that of the stack whose root this is.
    private var outer: Screen? { root.parent?.screen }
    var isPresented: Bool { onDismiss != nil || outer?.isPresented ?? (controller?.canLeave == true) }

    /// A screen with views of its own.
    init(
        _ view: any View, parent: Node? = nil, _ environment: EnvironmentValues = EnvironmentValues(),
        onDismiss: ((Screen) -> Void)? = nil
    ) {
        self.onDismiss = onDismiss
        root = GroupNode(AnyView(erasing: EmptyView()), parent: parent, environment)
        setRoot(view, environment)
        Updates.add(self)
    }

    /// A screen for views that are in another's tree, such as a tab.
    init(adopting node: Node) {
        root = node
        onDismiss = nil
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

    /// A screen that SwiftUI has not presented itself dismisses what it is in. The outermost one may be in a hosting
    /// controller that the app's UIKit code has pushed or presented.
    func dismiss() {
        if let onDismiss { return onDismiss(self) }
        if let outer { outer.dismiss() } else { controller?.leave() }
    }

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
        let item = controller.navigationItem
        if chrome.title != said.title { item.title = chrome.title }
        if chrome.hidesBackButton != said.hidesBackButton { item.hidesBackButton = chrome.hidesBackButton ?? false }
        said = (chrome.title, chrome.hidesBackButton)
        toolbar.show(chrome, in: controller)
        showSearch(chrome, in: controller)
        showBar(chrome, in: controller)
        // What covers the screen, so that it is not visible, can be dismissed nevertheless.
        for presentation in chrome.presentations where isVisible || presentation.isShown {
            presentation.show(from: controller)
        }
    }

    /// The screens of a stack share its bar, so that the top one says whether it is hidden. (A tab in it does not say so
    /// itself: its chrome is part of the stack's screen.) The bar of another navigation controller is changed only if the
    /// views say something about it.
    private func showBar(_ chrome: Chrome, in controller: UIViewController) {
        guard let navigation = controller.navigationController else { return }
        if navigation is StackController {
            let isTop = controller === navigation.topViewController
            if isTop { navigation.isNavigationBarHidden = chrome.isBarHidden ?? false }
        } else if isVisible, let isHidden = chrome.isBarHidden ?? (hasSetBar ? false : nil) {
            navigation.isNavigationBarHidden = isHidden
            hasSetBar = chrome.isBarHidden != nil
        }
    }

    private func showSearch(_ chrome: Chrome, in controller: UIViewController) {
        guard let (prompt, text) = chrome.search else {
            if search != nil { controller.navigationItem.searchController = nil }
            return search = nil
        }
        let search = self.search ?? ScreenSearch()
        self.search = search
        search.text = text
        search.controller.searchBar.placeholder = prompt
        controller.navigationItem.searchController = search.controller
    }
}

extension UIViewController {
    private var isPushed: Bool { navigationController.map { $0.viewControllers.count > 1 } ?? false }
    fileprivate var canLeave: Bool { isPushed || presentingViewController != nil }

    /// Pops or dismisses the controller.
    fileprivate func leave() {
        if isPushed {
            navigationController?.popViewController(animated: true)
        } else {
            presentingViewController?.dismiss(animated: true)
        }
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
