/// Something that changes a view or adds to it.
@preconcurrency @MainActor public protocol ViewModifier {
    associatedtype Body: View
    typealias Content = _ViewModifier_Content<Self>
    @ViewBuilder func body(content: Content) -> Body
}

/// The view that a modifier of the app changes.
public struct _ViewModifier_Content<Modifier: ViewModifier>: View, GroupView {
    let view: (any View)?

    var parts: [Part] { view.map { Part.list([$0]) } ?? [] }
}

public struct EmptyModifier: ViewModifier {
    nonisolated public init() {}
    public func body(content: Content) -> some View { content }
}

public struct ModifiedContent<Content, Modifier> {
    public var content: Content
    public var modifier: Modifier

    public init(content: Content, modifier: Modifier) { (self.content, self.modifier) = (content, modifier) }
}

extension ModifiedContent: View where Content: View, Modifier: ViewModifier {
    public var body: Never { noBody() }
}

extension ModifiedContent: PrimitiveView where Content: View, Modifier: ViewModifier {
    func makePrimitiveNode(parent: Node?, _ environment: EnvironmentValues) -> Node {
        ModifierNode(self, parent: parent, environment)
    }
}

extension View {
    public func modifier<Modifier>(_ modifier: Modifier) -> ModifiedContent<Self, Modifier> {
        ModifiedContent(content: self, modifier: modifier)
    }

    func effect(_ effect: some Effect) -> some View { EffectView(content: self, effect: effect) }
}

/// The node of a modifier of the app.
final class ModifierNode<Content: View, Modifier: ViewModifier>: WrittenNode<ModifiedContent<Content, Modifier>> {
    override func update() {
        let body = Dependencies.track(self) {
            properties.install(in: value.modifier, of: self).body(content: _ViewModifier_Content(view: value.content))
        }
        receive(body: body)
    }
}

/// What a modifier of SwiftUI itself does.
@MainActor protocol Effect {
    /// Views beside the content, such as those of a toolbar.
    var others: [any View] { get }
    /// Changes what the content gets.
    func change(_ environment: inout EnvironmentValues)
    /// Runs after each time that the view was made.
    func update(_ node: any EffectNode)
    func collect(_ chrome: inout Chrome, _ node: any EffectNode)
    func appear(_ node: any EffectNode)
    func disappear(_ node: any EffectNode)
    func end(_ node: any EffectNode)
    /// Runs after the content's views have come into their container.
    func layOut(_ node: any EffectNode)
    /// Whether the others' views are shown beside the content's.
    var showsOthers: Bool { get }
    /// Whether the content's views are shown.
    var isContentHidden: Bool { get }
}

extension Effect {
    var others: [any View] { [] }
    var showsOthers: Bool { false }
    var isContentHidden: Bool { false }
    func change(_ environment: inout EnvironmentValues) {}
    func update(_ node: any EffectNode) {}
    func collect(_ chrome: inout Chrome, _ node: any EffectNode) {}
    func appear(_ node: any EffectNode) {}
    func disappear(_ node: any EffectNode) {}
    func end(_ node: any EffectNode) {}
    func layOut(_ node: any EffectNode) {}
}

struct EffectView<Content: View, Modifier: Effect>: View, PrimitiveView {
    let content: Content
    let effect: Modifier

    func makePrimitiveNode(parent: Node?, _ environment: EnvironmentValues) -> Node {
        TypedEffectNode(self, parent: parent, environment)
    }
}

/// The node of a modifier of SwiftUI itself, whatever its content is.
@MainActor protocol EffectNode: Node {
    /// What the modifier keeps.
    var memory: AnyObject? { get set }
    var contentNode: Node? { get }
    var otherNodes: [Node] { get }
    var isAppeared: Bool { get }
}

final class TypedEffectNode<Content: View, Modifier: Effect>: TypedNode<EffectView<Content, Modifier>>, EffectNode {
    var memory: AnyObject?
    private(set) var contentNode: Node?
    private(set) var otherNodes: [Node] = []
    private(set) var isAppeared = false
    /// The environment of the content, and what it was made of.
    private var made: (version: Int, effect: Modifier, environment: EnvironmentValues)?

    override var children: [Node] { contentNode.map { [$0] } ?? [] }
    override var pieces: [Node] {
        let pieces = contentNode?.pieces ?? []
        return pieces.count == 1 ? [self] : pieces
    }
    override var views: [UIView] {
        (value.effect.isContentHidden ? [] : contentNode?.views ?? [])
            + (value.effect.showsOthers ? otherNodes.flatMap(\.views) : [])
    }

    override func update() {
        let (new, others) = Dependencies.track(self) { (changedEnvironment(), value.effect.others) }
        contentNode = reconcile(contentNode, value.content, new)
        for node in otherNodes.dropFirst(others.count) { node.unmount() }
        otherNodes = others.enumerated().map { index, view in
            reconcile(otherNodes.indices.contains(index) ? otherNodes[index] : nil, view, new)
        }
        Dependencies.trackAlso(self) { value.effect.update(self) }
    }

    private func changedEnvironment() -> EnvironmentValues {
        if let made, made.version == environment.version, Fields.areEqual(made.effect, value.effect) {
            return made.environment
        }
        var new = environment
        value.effect.change(&new)
        if new.version != environment.version { made = (environment.version, value.effect, new) }
        return new
    }

    override func collect(_ chrome: inout Chrome) {
        super.collect(&chrome)
        value.effect.collect(&chrome, self)
    }

    override func layOut() {
        super.layOut()
        for node in otherNodes { node.layOut() }
        value.effect.layOut(self)
    }

    override func setAppeared(_ isAppeared: Bool) {
        // What appears last disappears first.
        if !isAppeared { change(isAppeared) }
        super.setAppeared(isAppeared)
        for node in otherNodes { node.setAppeared(isAppeared) }
        if isAppeared { change(isAppeared) }
    }

    private func change(_ isAppeared: Bool) {
        guard self.isAppeared != isAppeared else { return }
        self.isAppeared = isAppeared
        if isAppeared { value.effect.appear(self) } else { value.effect.disappear(self) }
    }

    override func unmount() {
        guard isMounted else { return }
        super.unmount()
        for node in otherNodes { node.unmount() }
        value.effect.end(self)
        memory = nil
    }
}
