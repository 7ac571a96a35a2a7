// Foundation on Linux has no key-value observing. These have the names and the shape of Foundation's on Apple's systems.

#if !canImport(ObjectiveC)
    /// What a change of an observed property has.
    public struct NSKeyValueChangeKey: Hashable, RawRepresentable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public static let kindKey = NSKeyValueChangeKey(rawValue: "kind")
        public static let newKey = NSKeyValueChangeKey(rawValue: "new")
        public static let oldKey = NSKeyValueChangeKey(rawValue: "old")
        public static let indexesKey = NSKeyValueChangeKey(rawValue: "indexes")
        public static let notificationIsPriorKey = NSKeyValueChangeKey(rawValue: "notificationIsPrior")
    }

    /// An object that is told about changes of properties by their key paths. Responders are; `prepare-app` adds it to other
    /// classes that override the method.
    @preconcurrency @MainActor public protocol KeyValueObserving: AnyObject {
        func observeValue(
            forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?)
    }

    extension UIResponder: KeyValueObserving {}
#endif

/// An object whose properties can be observed by their key paths, as those of a web view can. (Not in UIKit.)
@preconcurrency @MainActor public protocol KeyPathObservable: AnyObject {
    /// - Parameter check: is called when a property may have changed.
    /// - Returns: ends the observation.
    func observeChanges(_ check: @escaping () -> Void) -> () -> Void
}
