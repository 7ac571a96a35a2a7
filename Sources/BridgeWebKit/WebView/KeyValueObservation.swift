public import Foundation
public import HeadlessViews

// Foundation on Linux has no key-value observing. These have the names and the shape of Foundation's on Apple's systems.

#if !canImport(ObjectiveC)
    public struct NSKeyValueObservingOptions: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) { self.rawValue = rawValue }

        public static let new = NSKeyValueObservingOptions(rawValue: 1 << 0)
        public static let old = NSKeyValueObservingOptions(rawValue: 1 << 1)
        /// Calls the handler at once, too.
        public static let initial = NSKeyValueObservingOptions(rawValue: 1 << 2)
        /// Calls the handler also with `isPrior`. The property has its new value already then.
        public static let prior = NSKeyValueObservingOptions(rawValue: 1 << 3)
    }

    /// A change of an observed property. The values are there if the options ask for them.
    public struct NSKeyValueObservedChange<Value> {
        public let newValue: Value?
        public let oldValue: Value?
        public let isPrior: Bool
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
        public func observe<Value>(
            _ keyPath: KeyPath<WKWebView, Value>, options: NSKeyValueObservingOptions = [],
            changeHandler: @escaping @MainActor (WKWebView, NSKeyValueObservedChange<Value>) -> Void
        ) -> NSKeyValueObservation {
            let end = follow(keyPath, options) { webView, old, new, isPrior in
                changeHandler(webView, NSKeyValueObservedChange(newValue: new, oldValue: old, isPrior: isPrior))
            }
            return NSKeyValueObservation(end: end)
        }

        /// - Parameter report: gets the values that the options ask for, and whether the call comes before the change.
        /// - Returns: ends the observation.
        private func follow<Value>(
            _ keyPath: KeyPath<WKWebView, Value>, _ options: NSKeyValueObservingOptions,
            _ report: @escaping @MainActor (WKWebView, _ old: Value?, _ new: Value?, _ isPrior: Bool) -> Void
        ) -> () -> Void {
            var last = self[keyPath: keyPath]
            let number = observers.add { [weak self] in
                guard let self, !areEqual(self[keyPath: keyPath], last) else { return }
                let old = options.contains(.old) ? last : nil
                last = self[keyPath: keyPath]
                if options.contains(.prior) { report(self, old, nil, true) }
                report(self, old, options.contains(.new) ? last : nil, false)
            }
            if options.contains(.initial) { report(self, nil, options.contains(.new) ? last : nil, false) }
            return { [observers] in observers.remove(number) }
        }

        /// Calls the observer's `observeValue(forKeyPath:of:change:context:)` when a property changes: `title`, `URL`,
        /// `loading`, `estimatedProgress`, `hasOnlySecureContent`, `canGoBack` or `canGoForward`, also by their Swift names. Others
        /// are never reported.
        public func addObserver(
            _ observer: NSObject, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [],
            context: UnsafeMutableRawPointer?
        ) {
            switch keyPath {
            case "title": add(observer, keyPath, \.title, options, context)
            case "URL", "url": add(observer, keyPath, \.url, options, context)
            case "loading", "isLoading": add(observer, keyPath, \.isLoading, options, context)
            case "estimatedProgress": add(observer, keyPath, \.estimatedProgress, options, context)
            case "hasOnlySecureContent": add(observer, keyPath, \.hasOnlySecureContent, options, context)
            case "canGoBack": add(observer, keyPath, \.canGoBack, options, context)
            case "canGoForward": add(observer, keyPath, \.canGoForward, options, context)
            default:
                limitations.report(
                    "'\(keyPath)' of a WKWebView is observed, and its changes are not reported.",
                    hint:
                        "Observe title, URL, loading, estimatedProgress, hasOnlySecureContent, canGoBack or canGoForward."
                )
            }
        }

        private func add<Value>(
            _ observer: NSObject, _ name: String, _ keyPath: KeyPath<WKWebView, Value>,
            _ options: NSKeyValueObservingOptions, _ context: UnsafeMutableRawPointer?
        ) {
            let end = follow(keyPath, options) { [weak observer] webView, old, new, isPrior in
                var change: [NSKeyValueChangeKey: Any] = [.kindKey: 1]
                change[.oldKey] = old
                change[.newKey] = new
                if isPrior { change[.notificationIsPriorKey] = true }
                (observer as? any KeyValueObserving)?
                    .observeValue(forKeyPath: name, of: webView, change: change, context: context)
            }
            observers.named.append((ObjectIdentifier(observer), name, end))
        }

        /// Ends the latest observation of the key path by the observer.
        public func removeObserver(
            _ observer: NSObject, forKeyPath keyPath: String, context: UnsafeMutableRawPointer? = nil
        ) {
            let entry = observers.named.lastIndex { $0.observer == ObjectIdentifier(observer) && $0.keyPath == keyPath }
            if let entry { observers.named.remove(at: entry).end() }
        }
    }

    private func areEqual<Value>(_ left: Value, _ right: Value) -> Bool {
        func compare<Left: Equatable>(_ left: Left) -> Bool { left == right as? Left }
        return (left as? any Equatable).map { compare($0) } ?? false
    }
#endif

/// The observers of a web view's properties.
@MainActor final class KeyValueObservers {
    private var checks: [(number: Int, run: () -> Void)] = []
    private var count = 0
    /// The observers by key path.
    var named: [(observer: ObjectIdentifier, keyPath: String, end: () -> Void)] = []

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

extension WKWebView: KeyPathObservable {
    public func observeChanges(_ check: @escaping () -> Void) -> () -> Void {
        let number = observers.add(check)
        return { [observers] in observers.remove(number) }
    }
}
