public import Foundation

/// What a view is drawn in. Its properties are kept.
@preconcurrency @MainActor open class CALayer: NSObject {
    open var cornerRadius: CGFloat = 0
    open var borderWidth: CGFloat = 0
    open var borderColor: CGColor?
    open var backgroundColor: CGColor?
    open var shadowColor: CGColor?
    open var masksToBounds = false
    open var opacity: Float = 1
    open var shadowOpacity: Float = 0
    open var shadowRadius: CGFloat = 0
    open var shadowOffset = CGSize.zero
    open var zPosition: CGFloat = 0
    open var bounds = CGRect.zero

    /// Nothing is animated. The animation's delegate is notified of its end in the next turn.
    open func add(_ anim: CAAnimation, forKey key: String?) {
        Turns.next { anim.delegate?.animationDidStop(anim, finished: true) }
    }

    open func removeAnimation(forKey key: String) {}
    open func removeAllAnimations() {}
}

@preconcurrency @MainActor open class CAAnimation: NSObject {
    open weak var delegate: (any CAAnimationDelegate)?
    open var duration: TimeInterval = 0
    open var repeatCount: Float = 0
    open var timingFunction: CAMediaTimingFunction?
}

@preconcurrency @MainActor public protocol CAAnimationDelegate: AnyObject {
    func animationDidStop(_ anim: CAAnimation, finished flag: Bool)
}

extension CAAnimationDelegate {
    public func animationDidStop(_ anim: CAAnimation, finished flag: Bool) {}
}

open class CATransition: CAAnimation {
    open var type = CATransitionType.fade
    open var subtype: CATransitionSubtype?
}

public struct CATransitionType: Hashable, RawRepresentable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let fade = CATransitionType(rawValue: "fade")
    public static let moveIn = CATransitionType(rawValue: "moveIn")
    public static let push = CATransitionType(rawValue: "push")
    public static let reveal = CATransitionType(rawValue: "reveal")
}

public struct CATransitionSubtype: Hashable, RawRepresentable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let fromRight = CATransitionSubtype(rawValue: "fromRight")
    public static let fromLeft = CATransitionSubtype(rawValue: "fromLeft")
    public static let fromTop = CATransitionSubtype(rawValue: "fromTop")
    public static let fromBottom = CATransitionSubtype(rawValue: "fromBottom")
}

public final class CAMediaTimingFunction: NSObject, Sendable {}

public let kCATransition = "transition"

/// Changes that are shown together. Nothing is drawn, so that they end with `commit()`.
@MainActor public enum CATransaction {
    private static var completions: [(() -> Void)?] = []

    public static func begin() { completions.append(nil) }

    public static func setCompletionBlock(_ block: (() -> Void)?) {
        if completions.isEmpty { block?() } else { completions[completions.count - 1] = block }
    }

    public static func commit() {
        guard let completion = completions.popLast() ?? nil else { return }
        Turns.next { completion() }
    }

    public static func setDisableActions(_ flag: Bool) {}
    public static func animationDuration() -> TimeInterval { 0.25 }
}
