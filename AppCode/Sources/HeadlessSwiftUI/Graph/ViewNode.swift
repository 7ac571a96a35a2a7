import HeadlessUIKit

/// A view that has a view of UIKit instead of a body.
@MainActor protocol UIKitView: PrimitiveView {
    associatedtype Shown: UIView
    /// What is in it.
    var content: (any View)? { get }
    func makeView(_ node: ViewNode<Self>) -> Shown
    /// Gives the view of UIKit what this one says. The view is made again if something changes that this has read.
    func update(_ view: Shown, _ node: ViewNode<Self>)
    /// Gives its own screens their views, after each update. What these read concerns themselves only.
    func updateScreens(_ node: ViewNode<Self>)
    /// Puts the views of its own screens in their places.
    func layOut(_ node: ViewNode<Self>)
    func end(_ node: ViewNode<Self>)
    /// Whether its content is on screens of its own, which say their own titles and appear on their own.
    var ownsScreens: Bool { get }
    /// The content that is seen, if the content is on screens of its own.
    func visibleNode(_ node: ViewNode<Self>) -> Node?
    /// Puts the content's views into the view.
    func place(_ views: [UIView], in view: Shown, _ node: ViewNode<Self>)
}

extension UIKitView {
    var content: (any View)? { nil }

    func makePrimitiveNode(parent: Node?, _ environment: EnvironmentValues) -> Node {
        ViewNode(self, parent: parent, environment)
    }

    var ownsScreens: Bool { false }

    func update(_ view: Shown, _ node: ViewNode<Self>) {}
    func updateScreens(_ node: ViewNode<Self>) {}
    func layOut(_ node: ViewNode<Self>) {}
    func end(_ node: ViewNode<Self>) {}
    func visibleNode(_ node: ViewNode<Self>) -> Node? { nil }

    func place(_ views: [UIView], in view: Shown, _ node: ViewNode<Self>) { node.placement.place(views, in: view) }
}

final class ViewNode<Content: UIKitView>: TypedNode<Content> {
    private var shown: Content.Shown?
    private(set) var child: Node?
    let placement = Placement()
    /// What the view keeps.
    var memory: AnyObject?

    override var children: [Node] { child.map { [$0] } ?? [] }

    var view: Content.Shown {
        if let shown { return shown }
        let made = value.makeView(self)
        shown = made
        updateShown(made)
        return made
    }

    override var views: [UIView] { [view] }

    override func update() {
        if let content = Dependencies.track(self, { value.content }) {
            child = reconcile(child, content, environment)
        } else {
            child?.unmount()
            child = nil
        }
        if let shown { updateShown(shown) }
    }

    private func updateShown(_ view: Content.Shown) {
        Dependencies.trackAlso(self) { value.update(view, self) }
        value.updateScreens(self)
    }

    override func layOut() {
        if !value.ownsScreens {
            if let child { value.place(child.views, in: view, self) }
            super.layOut()
        }
        value.layOut(self)
    }

    override func collect(_ chrome: inout Chrome) {
        guard value.ownsScreens else { return super.collect(&chrome) }
        guard var inner = value.visibleNode(self)?.chrome else { return }
        // These are the tab's own.
        (inner.tabItem, inner.tag, inner.badge) = (nil, nil, nil)
        (inner.presentations, inner.pushes) = ([], [])
        chrome = inner
    }

    override func setAppeared(_ isAppeared: Bool) { if !value.ownsScreens { super.setAppeared(isAppeared) } }

    override func unmount() {
        guard isMounted else { return }
        super.unmount()
        value.end(self)
    }
}

/// The views that are in a container, in their order. Others that are in it stay.
@MainActor final class Placement {
    private var placed: [UIView] = []

    func place(_ views: [UIView], in container: UIView) {
        guard !views.elementsEqual(placed, by: ===) || views.contains(where: { $0.superview !== container }) else {
            return
        }
        let wanted = Set(views.map(ObjectIdentifier.init))
        for view in placed where !wanted.contains(ObjectIdentifier(view)) && view.superview === container {
            view.removeFromSuperview()
        }
        for view in views where view.superview !== container { container.addSubview(view) }
        let shown = container.subviews.filter { wanted.contains(ObjectIdentifier($0)) }
        let inOrder = zip(shown, views).prefix { $0 === $1 }.count
        for view in views.dropFirst(inOrder) { container.bringSubviewToFront(view) }
        placed = views
    }

    func removeAll() {
        for view in placed { view.removeFromSuperview() }
        placed = []
    }
}
