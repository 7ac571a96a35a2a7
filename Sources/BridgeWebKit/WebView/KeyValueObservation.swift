public import Foundation

// Foundation on Linux has no key-value observing. These have the names and the shape of Foundation's on Apple's systems.

#if !canImport(ObjectiveC)
    public struct NSKeyValueObservingOptions: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) { self.rawValue = rawValue }

        public static let new = NSKeyValueObservingOptions(rawValue: 1 << 0)
        public static let old = NSKeyValueObservingOptions(rawValue: 1 << 1)
        /// Calls the handler at once, too.
        public static let initial = NSKeyValueObservingOptions(rawValue: 1 << 2)
        /// Has no effect: the handler is not called before a change.
        public static let prior = NSKeyValueObservingOptions(rawValue: 1 << 3)
    }

    /// A change of an observed property. The values are there if the options ask for them.
    public struct NSKeyValueObservedChange<Value> {
        public let newValue: Value?
        public let oldValue: Value?
        public let isPrior = false
    }

    /// An observation. It ends when it is invalidated or released.
    @preconcurrency @MainActor public final class NSKeyValueObservation: NSObject {
        fileprivate var end: (() -> Void)?

        fileprivate init(end: @escaping () -> Void) { self.end = end }

        public func invalidate() { end.take()?() }

        isolated deinit { invalidate() }
    }

    extension WKWebView {
        /// Calls `changeHandler` when `title`, `url`, `isLoading`, `estimatedProgress`, `hasOnlySecureContent`,
        /// `canGoBack` or `canGoForward` changes. Other properties are never reported.
        public func observe<Value: Equatable>(
            _ keyPath: KeyPath<WKWebView, Value>, options: NSKeyValueObservingOptions = [],
            changeHandler: @escaping @MainActor (WKWebView, NSKeyValueObservedChange<Value>) -> Void
        ) -> NSKeyValueObservation {
            var last = self[keyPath: keyPath]
            let report = { @MainActor (webView: WKWebView, old: Value?, new: Value) in
                changeHandler(
                    webView,
                    NSKeyValueObservedChange(
                        newValue: options.contains(.new) ? new : nil, oldValue: options.contains(.old) ? old : nil))
            }
            let number = observers.add { [weak self] in
                guard let self, self[keyPath: keyPath] != last else { return }
                let old = last
                last = self[keyPath: keyPath]
                report(self, old, last)
            }
            if options.contains(.initial) { report(self, nil, last) }
            return NSKeyValueObservation { [observers] in observers.remove(number) }
        }
    }
#endif

/// The observers of a web view's properties.
@MainActor final class KeyValueObservers {
    private var checks: [(number: Int, run: () -> Void)] = []
    private var count = 0

    /// - Parameter check: reports if the property has another value than at the last call.
    func add(_ check: @escaping () -> Void) -> Int {
        count += 1
        checks.append((count, check))
        return count
    }

    func remove(_ number: Int) { checks.removeAll { $0.number == number } }

    /// Call this when a property may have changed.
    func check() {
        for entry in checks { entry.run() }
    }
}
