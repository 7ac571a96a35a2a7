public import Foundation

/// A view in a tree of views. It keeps what an app sets, and draws nothing.
///
/// Frames are those that the app sets. Constraints, gestures and layers are not here, because a web view works without
/// them: the package `AppCode` adds them.
@preconcurrency @MainActor open class UIView: UIResponder {
    public enum ContentMode: Int, Sendable {
        case scaleToFill, scaleAspectFit, scaleAspectFill, redraw, center, top, bottom, left, right
    }

    public struct AutoresizingMask: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) { self.rawValue = rawValue }

        public static let flexibleLeftMargin = AutoresizingMask(rawValue: 1)
        public static let flexibleWidth = AutoresizingMask(rawValue: 2)
        public static let flexibleRightMargin = AutoresizingMask(rawValue: 4)
        public static let flexibleTopMargin = AutoresizingMask(rawValue: 8)
        public static let flexibleHeight = AutoresizingMask(rawValue: 16)
        public static let flexibleBottomMargin = AutoresizingMask(rawValue: 32)
    }

    open var frame: CGRect { didSet { if frame.size != oldValue.size { setNeedsLayout() } } }
    open var bounds: CGRect {
        get { CGRect(origin: .zero, size: frame.size) }
        set { frame.size = newValue.size }
    }
    open var center: CGPoint {
        get { CGPoint(x: frame.midX, y: frame.midY) }
        set { frame.origin = CGPoint(x: newValue.x - frame.width / 2, y: newValue.y - frame.height / 2) }
    }
    open var transform = CGAffineTransform.identity
    open var alpha: CGFloat = 1
    open var isHidden = false
    open var isOpaque = true
    open var isUserInteractionEnabled = true
    open var clipsToBounds = false
    open var tag = 0
    open var contentMode = ContentMode.scaleToFill
    open var backgroundColor: UIColor?
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals, because UIKit declares it so.
    open var tintColor: UIColor! = .tintColor
    open var overrideUserInterfaceStyle = UIUserInterfaceStyle.unspecified
    open var traitCollection: UITraitCollection { UITraitCollection() }
    open var autoresizingMask: AutoresizingMask = []
    open var translatesAutoresizingMaskIntoConstraints = true
    open var layoutMargins = UIEdgeInsets(top: 8, left: 8, bottom: 8, right: 8)
    open var directionalLayoutMargins = NSDirectionalEdgeInsets(top: 8, leading: 8, bottom: 8, trailing: 8)
    open var safeAreaInsets: UIEdgeInsets { .zero }
    open var intrinsicContentSize: CGSize { CGSize(width: UIView.noIntrinsicMetric, height: UIView.noIntrinsicMetric) }
    public static let noIntrinsicMetric: CGFloat = -1

    open var accessibilityIdentifier: String?
    open var accessibilityLabel: String?
    open var accessibilityHint: String?
    open var accessibilityValue: String?
    open var isAccessibilityElement = false

    open internal(set) weak var superview: UIView?
    open internal(set) var subviews: [UIView] = []
    /// The view controller whose `view` this is.
    @_spi(UIKit) public final weak var viewController: UIResponder?
    /// Called when a view controller's view has come into a view or left one, so that the controller may have appeared.
    @_spi(UIKit) public static var controllersViewMoved: (() -> Void)?
    /// What the rest of UIKit keeps with this view.
    @_spi(UIKit) public final var attachment: AnyObject?
    private var needsLayout = true

    open override var next: UIResponder? { viewController ?? superview }

    public init(frame: CGRect) {
        self.frame = frame
        super.init()
    }

    public override convenience init() { self.init(frame: .zero) }

    /// Makes an empty view. Archives are not read.
    public required init?(coder: NSCoder) {
        frame = .zero
        super.init()
    }

    // MARK: Layout

    open func layoutSubviews() {}
    open func setNeedsLayout() { needsLayout = true }
    open func layoutIfNeeded() {
        if needsLayout {
            needsLayout = false
            layoutSubviews()
        }
        for view in subviews { view.layoutIfNeeded() }
    }
    open func setNeedsDisplay() {}
    open func setNeedsUpdateConstraints() {}
    open func updateConstraints() {}
    open func invalidateIntrinsicContentSize() {}
    open func sizeToFit() {}
    open func sizeThatFits(_ size: CGSize) -> CGSize { frame.size }
    open func systemLayoutSizeFitting(_ targetSize: CGSize) -> CGSize { frame.size }
    open func tintColorDidChange() {}
    open func traitCollectionDidChange(_ previousTraitCollection: UITraitCollection?) {}

    // MARK: Geometry

    open func convert(_ point: CGPoint, to view: UIView?) -> CGPoint {
        let (own, other) = (originInWindow, view?.originInWindow ?? .zero)
        return CGPoint(x: point.x + own.x - other.x, y: point.y + own.y - other.y)
    }

    open func convert(_ rect: CGRect, to view: UIView?) -> CGRect {
        CGRect(origin: convert(rect.origin, to: view), size: rect.size)
    }

    private var originInWindow: CGPoint {
        let above = superview?.originInWindow ?? .zero
        return CGPoint(x: above.x + frame.origin.x, y: above.y + frame.origin.y)
    }

    /// Returns an empty view of the same size, because nothing is drawn.
    /// Nobody touches a view: flows tap by text.
    open func point(inside point: CGPoint, with event: UIEvent?) -> Bool { bounds.contains(point) }
    open func hitTest(_ point: CGPoint, with event: UIEvent?) -> UIView? {
        self.point(inside: point, with: event) ? self : nil
    }

    open func snapshotView(afterScreenUpdates: Bool) -> UIView? { UIView(frame: bounds) }

    @discardableResult
    open func endEditing(_ force: Bool) -> Bool {
        let ended = isFirstResponder ? resignFirstResponder() : true
        return subviews.reduce(ended) { $1.endEditing(force) && $0 }
    }

    // MARK: Calls about the tree

    open func willMove(toSuperview newSuperview: UIView?) {}
    open func didMoveToSuperview() {}
    open func didMoveToWindow() {}
    open func didAddSubview(_ subview: UIView) {}
    open func willRemoveSubview(_ subview: UIView) {}

    /// Whether this view is the root of what is on screen. (Windows are.)
    @_spi(UIKit) public final var isWindow = false
}
