public import HeadlessViews

#if !canImport(ObjectiveC)
    extension NotificationCenter {
        /// Calls a method of `observer` with each notification, on the main actor, until the observer is released or
        /// removed.
        public func addObserver(
            _ observer: Any, selector aSelector: Selector, name aName: Notification.Name?, object anObject: Any?
        ) {
            let target = Observer(observer as AnyObject, aSelector)
            let token = addObserver(forName: aName, object: anObject, queue: nil) { notification in
                let delivered = Delivered(notification: notification)
                // Notifications of UIKit are posted on the main actor. Those of other threads come a turn later.
                if MainQueue.isCurrent {
                    MainActor.assumeIsolated { target.receive(delivered) }
                } else {
                    Task { @MainActor in target.receive(delivered) }
                }
            }
            Observers.shared.add(token, of: target)
        }

        /// Ends what `addObserver(_:selector:name:object:)` has begun.
        public func removeObserver(selectorsOf observer: Any) {
            for token in Observers.shared.remove(observer as AnyObject) { removeObserver(token) }
        }
    }

    /// Whether code runs on the main queue. (Its thread need not be the process's first one on Linux.)
    private enum MainQueue {
        private static let key: DispatchSpecificKey<Bool> = {
            let key = DispatchSpecificKey<Bool>()
            DispatchQueue.main.setSpecific(key: key, value: true)
            return key
        }()

        static var isCurrent: Bool { Thread.isMainThread || DispatchQueue.getSpecific(key: key) == true }
    }

    /// A notification on its way to the main actor.
    ///
    /// `@unchecked Sendable`: only one thread has it at a time.
    private struct Delivered: @unchecked Sendable { let notification: Notification }

    /// An object and its method.
    ///
    /// `@unchecked Sendable`: the object is only used on the main actor; reading a weak reference is atomic.
    private final class Observer: @unchecked Sendable {
        weak var object: AnyObject?
        let selector: Selector

        init(_ object: AnyObject, _ selector: Selector) { (self.object, self.selector) = (object, selector) }

        @MainActor func receive(_ delivered: Delivered) {
            guard let object else { return }
            selector.call(object, sender: delivered.notification)
        }
    }

    /// The tokens of observers that are still there.
    ///
    /// `@unchecked Sendable`: `lock` guards `entries`.
    private final class Observers: @unchecked Sendable {
        static let shared = Observers()
        private let lock = NSLock()
        private var entries: [(observer: Observer, token: any NSObjectProtocol)] = []

        func add(_ token: any NSObjectProtocol, of observer: Observer) {
            let ended = lock.withLock {
                let ended = entries.filter { $0.observer.object == nil }.map(\.token)
                entries.removeAll { $0.observer.object == nil }
                entries.append((observer, token))
                return ended
            }
            for token in ended { NotificationCenter.default.removeObserver(token) }
        }

        func remove(_ object: AnyObject) -> [any NSObjectProtocol] {
            lock.withLock {
                let tokens = entries.filter { $0.observer.object === object }.map(\.token)
                entries.removeAll { $0.observer.object === object }
                return tokens
            }
        }
    }
#endif
