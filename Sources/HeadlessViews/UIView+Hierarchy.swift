import Foundation

extension UIView {
    public func addSubview(_ view: UIView) { insert(view) { $0.count } }

    public func insertSubview(_ view: UIView, at index: Int) { insert(view) { _ in index } }

    public func insertSubview(_ view: UIView, belowSubview sibling: UIView) {
        insert(view) { views in views.firstIndex { $0 === sibling } ?? 0 }
    }

    public func insertSubview(_ view: UIView, aboveSubview sibling: UIView) {
        insert(view) { views in views.firstIndex { $0 === sibling }.map { $0 + 1 } ?? views.count }
    }

    /// Moves a view here, from the view that it is in. The calls come in UIKit's order.
    private func insert(_ view: UIView, at place: ([UIView]) -> Int) {
        guard view !== self, !isDescendant(of: view) else { return }
        let wasInWindow = view.isInWindow
        view.willMove(toSuperview: self)
        view.leave()
        subviews.insert(view, at: max(0, min(place(subviews), subviews.count)))
        view.superview = self
        didAddSubview(view)
        view.didMoveToSuperview()
        if wasInWindow || isInWindow { view.movedToWindow() }
        setNeedsLayout()
        if view.viewController != nil { UIView.controllersViewMoved?() }
    }

    public func removeFromSuperview() {
        guard superview != nil else { return }
        let wasInWindow = isInWindow
        willMove(toSuperview: nil)
        leave()
        didMoveToSuperview()
        if wasInWindow { movedToWindow() }
        if viewController != nil { UIView.controllersViewMoved?() }
    }

    private func leave() {
        guard let superview else { return }
        superview.willRemoveSubview(self)
        superview.subviews.removeAll { $0 === self }
        self.superview = nil
    }

    public func bringSubviewToFront(_ view: UIView) { move(view, to: subviews.endIndex) }

    public func sendSubviewToBack(_ view: UIView) { move(view, to: 0) }

    private func move(_ view: UIView, to index: Int) {
        guard let old = subviews.firstIndex(where: { $0 === view }) else { return }
        subviews.remove(at: old)
        subviews.insert(view, at: min(index, subviews.count))
    }

    /// Whether `view` is this view or contains it.
    public func isDescendant(of view: UIView) -> Bool { self === view || superview?.isDescendant(of: view) ?? false }

    public func viewWithTag(_ tag: Int) -> UIView? {
        self.tag == tag ? self : subviews.lazy.compactMap { $0.viewWithTag(tag) }.first
    }

    /// The outermost view that contains this one.
    @_spi(UIKit) public var root: UIView { superview?.root ?? self }

    private var isInWindow: Bool { root.isWindow }

    private func movedToWindow() {
        didMoveToWindow()
        for view in subviews { view.movedToWindow() }
    }
}
