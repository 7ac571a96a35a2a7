import HeadlessUIKit

/// The values that a stack shows above its root, of any types.
public struct NavigationPath: Equatable {
    fileprivate(set) var values: [AnyHashable] = []

    public init() {}
    public init<Values: Sequence>(_ values: Values) where Values.Element: Hashable {
        self.values = values.map { AnyHashable($0) }
    }

    public var count: Int { values.count }
    public var isEmpty: Bool { values.isEmpty }
    public mutating func append<Value: Hashable>(_ value: Value) { values.append(AnyHashable(value)) }
    public mutating func removeLast(_ count: Int = 1) { values.removeLast(min(count, values.count)) }
}

/// A navigation controller of UIKit. The root and what is pushed are screens of their own.
public struct NavigationStack<Data, Root: View>: View, UIKitView {
    fileprivate let root: Root
    fileprivate let path: Binding<[AnyHashable]>?

    public init(@ViewBuilder root: () -> Root) where Data == NavigationPath {
        self.root = root()
        path = nil
    }

    public init(path: Binding<NavigationPath>, @ViewBuilder root: () -> Root) where Data == NavigationPath {
        self.root = root()
        self.path = Binding(get: { path.wrappedValue.values }, set: { path.wrappedValue.values = $0 })
    }

    public init(path: Binding<Data>, @ViewBuilder root: () -> Root)
    where Data: MutableCollection & RandomAccessCollection & RangeReplaceableCollection, Data.Element: Hashable {
        self.root = root()
        self.path = Binding(
            get: { path.wrappedValue.map { AnyHashable($0) } },
            set: { path.wrappedValue = Data($0.compactMap { $0.base as? Data.Element }) })
    }

    // The root is on a screen of its own, so that the content is not this view's.
    func makeView(_ node: ViewNode<Self>) -> UIView {
        let stack = StackMemory.of(node)
        stack.start(root, node)
        return stack.controller.view
    }

    func update(_ view: UIView, _ node: ViewNode<Self>) {
        let stack = StackMemory.of(node)
        stack.path = path
        // Reading it makes this view again whenever it changes.
        _ = path?.wrappedValue
    }

    func updateScreens(_ node: ViewNode<Self>) {
        let stack = StackMemory.of(node)
        stack.root?.setRoot(root, stack.environment(node.environment))
    }

    func place(_ views: [UIView], in view: UIView, _ node: ViewNode<Self>) {}
    func layOut(_ node: ViewNode<Self>) { StackMemory.of(node).layOut(node) }
    func end(_ node: ViewNode<Self>) { (node.memory as? StackMemory)?.end() }
}

/// As a navigation stack, because on a phone it has one column.
public struct NavigationView<Content: View>: View, GroupView {
    private let content: Content

    public init(@ViewBuilder content: () -> Content) { self.content = content() }

    var parts: [Part] { [Part(id: 0, view: NavigationStack { content })] }
}

/// The sidebar and what it leads to, in one column, as on a phone.
public struct NavigationSplitView<Sidebar: View, Detail: View>: View, GroupView {
    private let sidebar: Sidebar

    public init(@ViewBuilder sidebar: () -> Sidebar, @ViewBuilder detail: () -> Detail) { self.sidebar = sidebar() }

    var parts: [Part] { [Part(id: 0, view: NavigationStack { sidebar })] }
}

/// A navigation controller that says when its stack has changed.
final class StackController: UINavigationController {
    var onChange: (() -> Void)?

    override func popViewController(animated: Bool) -> UIViewController? {
        defer { onChange?() }
        return super.popViewController(animated: animated)
    }

    override func popToViewController(_ viewController: UIViewController, animated: Bool) -> [UIViewController]? {
        defer { onChange?() }
        return super.popToViewController(viewController, animated: animated)
    }

    override func setViewControllers(_ viewControllers: [UIViewController], animated: Bool) {
        defer { onChange?() }
        super.setViewControllers(viewControllers, animated: animated)
    }
}

/// What a navigation stack keeps: its controllers, and why each is there.
@MainActor final class StackMemory {
    private struct Entry {
        /// The value of a path; nil for a link with a view.
        let value: AnyHashable?
        let screen: Screen
        let controller: UIViewController
        /// The destination that made the view of the value.
        var source: (node: ObjectIdentifier, generation: Int)?
        var onPop: (() -> Void)?
    }

    let controller = StackController()
    private(set) var root: Screen?
    private var rootController: UIViewController?
    fileprivate var path: Binding<[AnyHashable]>?
    /// The values of a stack whose app has no path.
    private var ownPath: [AnyHashable] = []
    private var entries: [Entry] = []
    private weak var node: Node?
    private var isChanging = false
    private var environments: [Int: EnvironmentValues] = [:]

    static func of<Content: UIKitView>(_ node: ViewNode<Content>) -> StackMemory {
        if let found = node.memory as? StackMemory { return found }
        let made = StackMemory()
        node.memory = made
        return made
    }

    func start(_ view: any View, _ node: Node) {
        self.node = node
        let screen = Screen(view, parent: node, environment(node.environment))
        let first = makeController(for: screen)
        (root, rootController) = (screen, first)
        controller.setViewControllers([first], animated: false)
        controller.onChange = { [weak self] in self?.stackChanged() }
        attach(node)
    }

    /// The environment of what the stack shows. It is the same for the same environment around the stack.
    func environment(_ outer: EnvironmentValues) -> EnvironmentValues {
        if outer.stack === self { return outer }
        if let known = environments[outer.version] { return known }
        var inner = outer
        inner.stack = self
        if environments.count > 16 { environments = [:] }
        environments[outer.version] = inner
        return inner
    }

    private func attach(_ node: Node) {
        guard let parent = node.screen?.controller, controller.parent !== parent else { return }
        parent.addChild(controller)
        controller.didMove(toParent: parent)
    }

    func end() {
        controller.removeFromParent()
        // The views that have pushed something end below, and find nothing to pop.
        let gone = entries
        entries = []
        for entry in gone { entry.screen.end() }
        root?.end()
    }

    /// Shows what the path says.
    func layOut(_ node: Node) {
        attach(node)
        let wanted = path?.wrappedValue ?? ownPath
        let shown = entries.compactMap(\.value)
        let common = zip(wanted, shown).prefix { $0 == $1 }.count
        if common < shown.count || common < wanted.count {
            keep(values: common)
            for value in wanted.dropFirst(common) { push(value) }
            show()
        }
        refreshDestinations()
        showPresented()
    }

    /// Keeps the entries up to that many values, and the views between them.
    private func keep(values count: Int) {
        var left = count
        let end = entries.firstIndex { entry in
            guard entry.value != nil else { return left == 0 }
            defer { left -= 1 }
            return left == 0
        }
        for entry in entries[(end ?? entries.count)...] { leave(entry) }
        entries.removeSubrange((end ?? entries.count)...)
    }

    private func leave(_ entry: Entry) {
        entry.onPop?()
        // Its views go when it is no longer shown.
        let screen = entry.screen
        Transitions.shared.afterNext { screen.end() }
    }

    private func show() {
        isChanging = true
        defer { isChanging = false }
        controller.setViewControllers(
            [rootController].compactMap(\.self) + entries.map(\.controller), animated: true)
    }

    /// The user, or the app's UIKit code, has popped.
    private func stackChanged() {
        guard !isChanging else { return }
        let gone = entries.filter { entry in !controller.viewControllers.contains { $0 === entry.controller } }
        guard !gone.isEmpty else { return }
        entries.removeAll { entry in gone.contains { $0.controller === entry.controller } }
        for entry in gone { leave(entry) }
        setPath(entries.compactMap(\.value))
    }

    private func setPath(_ values: [AnyHashable]) {
        if let path { if path.wrappedValue != values { path.wrappedValue = values } } else { ownPath = values }
        Updates.schedule()
    }

    // MARK: Pushing

    /// Pushes what a link with a value leads to.
    func follow(_ value: AnyHashable) {
        setPath((path?.wrappedValue ?? ownPath) + [value])
        if let node { layOut(node) }
    }

    /// Pushes a view that a link has itself.
    @discardableResult
    func push(_ make: @escaping () -> any View, _ environment: EnvironmentValues, onPop: (() -> Void)? = nil) -> Screen
    {
        let entry = entry(nil, DeferredView(make: make), environment, onPop)
        entries.append(entry)
        show()
        return entry.screen
    }

    func pop(_ screen: Screen) {
        guard let index = entries.firstIndex(where: { $0.screen === screen }) else { return }
        let gone = entries[index...]
        entries.removeSubrange(index...)
        for entry in gone { leave(entry) }
        show()
        setPath(entries.compactMap(\.value))
    }

    private func entry(
        _ value: AnyHashable?, _ view: any View, _ environment: EnvironmentValues, _ onPop: (() -> Void)?
    ) -> Entry {
        let screen = Screen(view, parent: node, self.environment(environment)) { [weak self] in self?.pop($0) }
        return Entry(value: value, screen: screen, controller: makeController(for: screen), onPop: onPop)
    }

    // MARK: Destinations

    private var destinations: [Chrome.Destination] {
        ([root].compactMap(\.self) + entries.map(\.screen)).flatMap { $0.root.chrome.destinations }
    }

    private func destination(for value: AnyHashable) -> Chrome.Destination? {
        destinations.last { type(of: value.base) == $0.type }
    }

    private func push(_ value: AnyHashable) {
        let found = destination(for: value)
        if found == nil {
            Transitions.shared.warnAbout(
                "A NavigationLink is presenting a value of type \(type(of: value.base)), but there is no "
                    + "navigationDestination(for:) for it within the stack. The pushed screen is empty.")
        }
        var entry = entry(
            value, DeferredView { found?.make(value) ?? EmptyView() }, node?.environment ?? EnvironmentValues(), nil)
        entry.source = found.map { (ObjectIdentifier($0.node), $0.node.generation) }
        entries.append(entry)
    }

    /// Gives pushed screens new views, if the view that has their destination was made again.
    private func refreshDestinations() {
        for index in entries.indices {
            guard let value = entries[index].value, let found = destination(for: value),
                entries[index].source?.node != ObjectIdentifier(found.node)
                    || entries[index].source?.generation != found.node.generation
            else { continue }
            entries[index].source = (ObjectIdentifier(found.node), found.node.generation)
            let environment = node?.environment ?? EnvironmentValues()
            entries[index].screen.setRoot(DeferredView { found.make(value) }, self.environment(environment))
        }
    }

    private func showPresented() {
        for screen in [root].compactMap(\.self) + entries.map(\.screen) {
            for push in screen.root.chrome.pushes { push.show(in: self) }
        }
    }
}

extension EnvironmentValues {
    private struct StackKey: EnvironmentKey {
        final class Reference {
            weak var stack: StackMemory?
            init(_ stack: StackMemory?) { self.stack = stack }
        }
        static var defaultValue: Reference? { nil }
    }

    var stack: StackMemory? {
        get { self[StackKey.self]?.stack }
        set { if stack !== newValue { self[StackKey.self] = StackKey.Reference(newValue) } }
    }
}
