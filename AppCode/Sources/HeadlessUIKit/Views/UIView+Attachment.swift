import Foundation
@_spi(UIKit) public import HeadlessViews

/// What an app keeps with a view. It is apart from `UIView`, which the daemon links because a web view is one.
@MainActor private final class Attachment {
    lazy var anchors = LayoutAnchors()
    lazy var layer = CALayer()
    lazy var safeAreaLayoutGuide = UILayoutGuide()
    lazy var layoutMarginsGuide = UILayoutGuide()
    lazy var readableContentGuide = UILayoutGuide()
    lazy var keyboardLayoutGuide = UILayoutGuide()
    var constraints: [NSLayoutConstraint] = []
    var gestureRecognizers: [UIGestureRecognizer]?
    var semanticContentAttribute = UISemanticContentAttribute.unspecified
    // Of scroll views.
    lazy var panGestureRecognizer = UIPanGestureRecognizer(target: nil, action: nil)
    lazy var contentLayoutGuide = UILayoutGuide()
    lazy var frameLayoutGuide = UILayoutGuide()
    var refreshControl: UIRefreshControl?

    static func of(_ view: UIView) -> Attachment {
        if let attachment = view.attachment as? Attachment { return attachment }
        let attachment = Attachment()
        view.attachment = attachment
        return attachment
    }
}

extension UIView: LayoutItem {
    public var anchors: LayoutAnchors { Attachment.of(self).anchors }
    public var layer: CALayer { Attachment.of(self).layer }
    public var safeAreaLayoutGuide: UILayoutGuide { Attachment.of(self).safeAreaLayoutGuide }
    public var layoutMarginsGuide: UILayoutGuide { Attachment.of(self).layoutMarginsGuide }
    public var readableContentGuide: UILayoutGuide { Attachment.of(self).readableContentGuide }
    public var keyboardLayoutGuide: UILayoutGuide { Attachment.of(self).keyboardLayoutGuide }

    public var semanticContentAttribute: UISemanticContentAttribute {
        get { Attachment.of(self).semanticContentAttribute }
        set { Attachment.of(self).semanticContentAttribute = newValue }
    }

    // MARK: Constraints

    public var constraints: [NSLayoutConstraint] { Attachment.of(self).constraints }

    public func addConstraint(_ constraint: NSLayoutConstraint) { addConstraints([constraint]) }

    public func addConstraints(_ constraints: [NSLayoutConstraint]) {
        NSLayoutConstraint.activate(constraints)
        Attachment.of(self).constraints += constraints
    }

    public func removeConstraints(_ constraints: [NSLayoutConstraint]) {
        NSLayoutConstraint.deactivate(constraints)
        Attachment.of(self).constraints.removeAll { constraint in constraints.contains { $0 === constraint } }
    }

    public func setContentHuggingPriority(_ priority: UILayoutPriority, for axis: NSLayoutConstraint.Axis) {}
    public func setContentCompressionResistancePriority(_ priority: UILayoutPriority, for axis: NSLayoutConstraint.Axis)
    {}

    // MARK: Gestures

    public var gestureRecognizers: [UIGestureRecognizer]? { Attachment.of(self).gestureRecognizers }

    public func addGestureRecognizer(_ gestureRecognizer: UIGestureRecognizer) {
        gestureRecognizer.view?.removeGestureRecognizer(gestureRecognizer)
        gestureRecognizer.view = self
        Attachment.of(self).gestureRecognizers = (gestureRecognizers ?? []) + [gestureRecognizer]
    }

    public func removeGestureRecognizer(_ gestureRecognizer: UIGestureRecognizer) {
        Attachment.of(self).gestureRecognizers?.removeAll { $0 === gestureRecognizer }
        gestureRecognizer.view = nil
    }
}

extension UIScrollView {
    public var panGestureRecognizer: UIPanGestureRecognizer { Attachment.of(self).panGestureRecognizer }
    public var contentLayoutGuide: UILayoutGuide { Attachment.of(self).contentLayoutGuide }
    public var frameLayoutGuide: UILayoutGuide { Attachment.of(self).frameLayoutGuide }

    public var refreshControl: UIRefreshControl? {
        get { Attachment.of(self).refreshControl }
        set {
            let attachment = Attachment.of(self)
            guard attachment.refreshControl !== newValue else { return }
            attachment.refreshControl?.removeFromSuperview()
            attachment.refreshControl = newValue
            if let newValue { addSubview(newValue) }
        }
    }
}
