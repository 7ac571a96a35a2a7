import HeadlessUIKit

/// A view at its place in the tree. It lives as long as there is a view of the same type and identity at this place, and
/// has what the view keeps: state, the coordinator, the view of UIKit.
@MainActor class Node {
    private(set) weak var parent: Node?
    let depth: Int
    /// Nodes are numbered in the order in which they are made.
    let number: Int
    private static var count = 0
    final var environment: EnvironmentValues
    private(set) final var isMounted = true
    final var isInvalid = false
    /// How often the view was made.
    private(set) final var generation = 0
    final var properties = PropertySlots()
    /// The screen whose content this is; nil if it is within that of an ancestor.
    final weak var ownScreen: Screen?
    private var locations: [Location] = []

    init(parent: Node?, _ environment: EnvironmentValues) {
        self.parent = parent
        self.environment = environment
        depth = (parent?.depth ?? 0) + 1
        Node.count += 1
        number = Node.count
    }

    var viewType: Any.Type { Never.self }
    var children: [Node] { [] }
    /// The screen that the view is on.
    final var screen: Screen? { ownScreen ?? parent?.screen }

    /// The views of UIKit that the container of this one shows for it. They are made when they are asked for first.
    var views: [UIView] { children.flatMap(\.views) }
    /// The views that a container treats as one each, such as tabs and rows.
    var pieces: [Node] { [self] }

    /// Makes the view again.
    func refresh() { isInvalid = false }
    /// Puts the views of children in their containers.
    func layOut() { for child in children { child.layOut() } }
    /// Adds what the view says about its screen. What contains it comes later, and overrides it.
    func collect(_ chrome: inout Chrome) { for child in children { child.collect(&chrome) } }
    /// The view is on screen, or is no longer.
    func setAppeared(_ isAppeared: Bool) { for child in children { child.setAppeared(isAppeared) } }

    func unmount() {
        guard isMounted else { return }
        setAppeared(false)
        for child in children { child.unmount() }
        isMounted = false
        forgetReads()
        properties = PropertySlots()
    }

    // MARK: Dependencies

    final func hasRead(_ location: Location) { locations.append(location) }

    final func forgetReads() {
        generation += 1
        isInvalid = false
        for location in locations { location.forget(self) }
        locations = []
    }

    // MARK: Children

    /// Gives a child its new view, or makes another child if the view has another type.
    final func reconcile(_ old: Node?, _ view: any View, _ environment: EnvironmentValues) -> Node {
        func open<Content: View>(_ view: Content) -> Node {
            if let node = old as? TypedNode<Content>, node.isMounted {
                node.receive(view, environment)
                return node
            }
            old?.unmount()
            return view.makeNode(parent: self, environment)
        }
        return open(view)
    }
}

/// A node with a view of a type.
class TypedNode<Content: View>: Node {
    final var value: Content
    override var viewType: Any.Type { Content.self }

    init(_ value: Content, parent: Node?, _ environment: EnvironmentValues) {
        self.value = value
        super.init(parent: parent, environment)
        update()
    }

    /// Takes the view that the parent has made anew. If neither it nor the environment differs, nothing is made again.
    final func receive(_ new: Content, _ environment: EnvironmentValues) {
        let isSame = self.environment.version == environment.version && Fields.areEqual(value, new)
        (value, self.environment) = (new, environment)
        if !isSame { update() }
    }

    final override func refresh() { update() }

    /// Makes the view, because its value, its environment or what it has read has changed.
    func update() {}
}

/// The node of what the app has written with a body, which is the node's only child.
class WrittenNode<Content: View>: TypedNode<Content> {
    private var child: Node?

    final override var children: [Node] { child.map { [$0] } ?? [] }
    final override var pieces: [Node] {
        let pieces = child?.pieces ?? []
        return pieces.count == 1 ? [self] : pieces
    }

    /// Takes the body that was made anew.
    final func receive(body: some View) { child = reconcile(child, body, environment) }
}

/// The node of a view that the app has written.
final class BodyNode<Content: View>: WrittenNode<Content> {
    override func update() {
        let body = Dependencies.track(self) {
            properties.install(in: value, of: self).body
        }
        receive(body: body)
    }
}

/// A view that consists of others and is none itself.
@MainActor protocol GroupView: PrimitiveView {
    var parts: [Part] { get }
}

/// A view in a group, with its identity among the others.
@MainActor struct Part {
    let id: AnyHashable
    let view: any View

    static func list(_ views: [any View]) -> [Part] { views.enumerated().map { Part(id: $0.offset, view: $0.element) } }
}

extension GroupView {
    func makePrimitiveNode(parent: Node?, _ environment: EnvironmentValues) -> Node {
        GroupNode(self, parent: parent, environment)
    }
}

final class GroupNode<Content: GroupView>: TypedNode<Content> {
    private struct Key: Hashable {
        let id: AnyHashable
        /// The place among parts with the same identity, which an app should not have.
        let place: Int
    }

    private var entries: [(key: Key, node: Node)] = []

    override var children: [Node] { entries.map(\.node) }
    override var pieces: [Node] { children.flatMap(\.pieces) }

    override func update() {
        let old = Dictionary(entries.map { ($0.key, $0.node) }) { first, _ in first }
        let parts = Dependencies.track(self) { value.parts }
        var places: [AnyHashable: Int] = [:]
        let keys = parts.map { part in
            defer { places[part.id, default: 0] += 1 }
            return Key(id: part.id, place: places[part.id] ?? 0)
        }
        let kept = Set(keys)
        for entry in entries where !kept.contains(entry.key) { entry.node.unmount() }
        entries = zip(keys, parts).map { ($0, reconcile(old[$0], $1.view, environment)) }
    }
}
