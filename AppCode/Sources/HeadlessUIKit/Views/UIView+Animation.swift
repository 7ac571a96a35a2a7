public import Foundation
public import HeadlessViews

extension UIView {
    public struct AnimationOptions: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) { self.rawValue = rawValue }

        public static let allowUserInteraction = AnimationOptions(rawValue: 1 << 1)
        public static let beginFromCurrentState = AnimationOptions(rawValue: 1 << 2)
        public static let `repeat` = AnimationOptions(rawValue: 1 << 3)
        public static let autoreverse = AnimationOptions(rawValue: 1 << 4)
        public static let curveEaseInOut: AnimationOptions = []
        public static let curveEaseIn = AnimationOptions(rawValue: 1 << 16)
        public static let curveEaseOut = AnimationOptions(rawValue: 2 << 16)
        public static let curveLinear = AnimationOptions(rawValue: 3 << 16)
        public static let transitionCrossDissolve = AnimationOptions(rawValue: 5 << 20)
    }

    /// Makes the changes at once, and calls `completion` in a later turn of the main queue, after the delay. Nothing is
    /// animated. Apps use the delay as a clock: a message that disappears after two seconds must be there for that time.
    public class func animate(
        withDuration duration: TimeInterval, delay: TimeInterval = 0, options: AnimationOptions = [],
        animations: @escaping () -> Void, completion: ((Bool) -> Void)? = nil
    ) {
        animations()
        finish(completion, after: delay)
    }

    public class func animate(
        withDuration duration: TimeInterval, delay: TimeInterval = 0, usingSpringWithDamping dampingRatio: CGFloat,
        initialSpringVelocity velocity: CGFloat, options: AnimationOptions = [], animations: @escaping () -> Void,
        completion: ((Bool) -> Void)? = nil
    ) {
        animations()
        finish(completion, after: delay)
    }

    public class func transition(
        with view: UIView, duration: TimeInterval, options: AnimationOptions = [], animations: (() -> Void)?,
        completion: ((Bool) -> Void)? = nil
    ) {
        animations?()
        finish(completion)
    }

    public class func performWithoutAnimation(_ actionsWithoutAnimation: () -> Void) { actionsWithoutAnimation() }

    private static func finish(_ completion: ((Bool) -> Void)?, after delay: TimeInterval = 0) {
        guard let completion else { return }
        Turns.next(after: delay) { completion(true) }
    }
}

/// The main queue's turns, in which everything that is animated on a device ends here.
@MainActor enum Turns {
    /// - Parameter delay: in seconds.
    static func next(after delay: TimeInterval = 0, _ body: @escaping @MainActor () -> Void) {
        Task { @MainActor in
            if delay > 0, delay < 86_400 { try? await Task.sleep(for: .seconds(delay)) }
            body()
        }
    }
}
