public import Foundation
public import HeadlessViews

/// A recogniser of a gesture. There is no screen to touch here: a test or a flow calls `recognize()`.
@preconcurrency @MainActor open class UIGestureRecognizer: NSObject {
    public enum State: Int, Sendable { case possible, began, changed, ended, cancelled, failed }

    open internal(set) weak var view: UIView?
    open var isEnabled = true
    open var state = State.possible
    open var cancelsTouchesInView = true
    open var delaysTouchesBegan = false
    open weak var delegate: (any UIGestureRecognizerDelegate)?
    private var targets: [(object: WeakTarget, action: Selector)] = []
    private var handlers: [(UIGestureRecognizer) -> Void] = []

    public init(target: Any?, action: Selector?) {
        super.init()
        if let target, let action { addTarget(target, action: action) }
    }

    open func addTarget(_ target: Any, action: Selector) { targets.append((WeakTarget(target), action)) }

    open func removeTarget(_ target: Any?, action: Selector?) {
        targets.removeAll { (target == nil || $0.object.isObject(target)) && (action == nil || $0.action == action) }
    }

    func addHandler(_ run: @escaping (UIGestureRecognizer) -> Void) { handlers.append(run) }

    open func location(in view: UIView?) -> CGPoint { .zero }

    open func require(toFail otherGestureRecognizer: UIGestureRecognizer) {}

    /// Acts as if the user had made the gesture. (Not in UIKit.)
    /// - Returns: false if the recogniser is disabled or has no target.
    @discardableResult
    public func recognize() -> Bool {
        guard isEnabled, delegate?.gestureRecognizerShouldBegin(self) ?? true else { return false }
        state = .ended
        defer { state = .possible }
        for handler in handlers { handler(self) }
        return targets.reduce(!handlers.isEmpty) { called, target in
            guard let object = target.object.object else { return called }
            return target.action.call(object, sender: self) || called
        }
    }
}

@preconcurrency @MainActor public protocol UIGestureRecognizerDelegate: NSObjectProtocol {
    func gestureRecognizerShouldBegin(_ gestureRecognizer: UIGestureRecognizer) -> Bool
}

extension UIGestureRecognizerDelegate {
    public func gestureRecognizerShouldBegin(_ gestureRecognizer: UIGestureRecognizer) -> Bool { true }
}

open class UITapGestureRecognizer: UIGestureRecognizer {
    open var numberOfTapsRequired = 1
    open var numberOfTouchesRequired = 1
}

open class UILongPressGestureRecognizer: UIGestureRecognizer { open var minimumPressDuration: TimeInterval = 0.5 }

open class UISwipeGestureRecognizer: UIGestureRecognizer {
    public struct Direction: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) { self.rawValue = rawValue }

        public static let right = Direction(rawValue: 1)
        public static let left = Direction(rawValue: 2)
        public static let up = Direction(rawValue: 4)
        public static let down = Direction(rawValue: 8)
    }

    open var direction = Direction.right
}

open class UIPanGestureRecognizer: UIGestureRecognizer {
    open func translation(in view: UIView?) -> CGPoint { .zero }
    open func velocity(in view: UIView?) -> CGPoint { .zero }
}

open class UIScreenEdgePanGestureRecognizer: UIPanGestureRecognizer { open var edges: UIRectEdge = [] }

/// The object that an action is sent to. UIKit does not retain it.
struct WeakTarget {
    private(set) weak var object: AnyObject?

    init(_ target: Any) { object = target as AnyObject }

    func isObject(_ other: Any?) -> Bool { object === (other as AnyObject?) }
}
