public import Foundation

/// An object that can be the next one to handle an event: a view, a view controller, a window, a scene, the application.
@preconcurrency @MainActor open class UIResponder: NSObject {
    public override init() { super.init() }

    /// The object that gets what this one does not handle.
    open var next: UIResponder? { nil }

    open private(set) var isFirstResponder = false
    open var canBecomeFirstResponder: Bool { false }
    open var canResignFirstResponder: Bool { true }

    /// What is above the keyboard. None is shown here.
    open var inputAccessoryView: UIView? {
        get { nil }
        set {}
    }
    open var inputView: UIView? {
        get { nil }
        set {}
    }

    @discardableResult
    open func becomeFirstResponder() -> Bool {
        guard canBecomeFirstResponder else { return false }
        isFirstResponder = true
        return true
    }

    @discardableResult
    open func resignFirstResponder() -> Bool {
        guard canResignFirstResponder else { return false }
        isFirstResponder = false
        return true
    }

    /// Called when a storyboard or a nib has made and connected the object. On Apple's systems, every object has it.
    open func awakeFromNib() {}

    #if !canImport(ObjectiveC)
        /// Called after a change of a property that this object observes.
        open func observeValue(
            forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) {}
    #endif

    open func touchesBegan(_ touches: Set<UITouch>, with event: UIEvent?) {}
    open func touchesMoved(_ touches: Set<UITouch>, with event: UIEvent?) {}
    open func touchesEnded(_ touches: Set<UITouch>, with event: UIEvent?) {}
    open func touchesCancelled(_ touches: Set<UITouch>, with event: UIEvent?) {}
}

/// An event of the user. The headless UIKit makes none: taps call targets and actions directly.
@preconcurrency @MainActor open class UIEvent: NSObject {}

/// A finger on the screen. The headless UIKit makes none.
@preconcurrency @MainActor open class UITouch: NSObject {}
