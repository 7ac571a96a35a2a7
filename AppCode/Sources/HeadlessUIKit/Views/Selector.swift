import Foundation
public import HeadlessViews

#if !canImport(ObjectiveC)
    /// A method's name together with the method, because there is no Objective-C runtime that could look it up.
    ///
    /// `#selector(refresh(_:))` cannot be compiled on Linux. `bridged run` rewrites it to
    /// `Selector("refresh(_:)", Self.refresh(_:))`. As on Apple's systems, two selectors are equal if their names are.
    ///
    /// `@unchecked Sendable`: a reference to a method captures nothing.
    public struct Selector: Hashable, CustomStringConvertible, @unchecked Sendable {
        public let description: String
        private let send: @MainActor (_ target: AnyObject, _ sender: Any?) -> Bool

        /// - Parameter name: a method that cannot be called, for comparisons only.
        public init(_ name: String) {
            description = name
            send = { _, _ in false }
        }

        public init<Target>(_ name: String, _ method: @escaping (Target) -> @MainActor () -> Void) {
            description = name
            // A reference to a method captures nothing that another thread could change.
            nonisolated(unsafe) let method = method
            send = { target, _ in
                guard let target = target as? Target else { return false }
                method(target)()
                return true
            }
        }

        public init<Target, Sender>(_ name: String, _ method: @escaping (Target) -> @MainActor (Sender) -> Void) {
            description = name
            nonisolated(unsafe) let method = method
            send = { target, sender in
                guard let target = target as? Target, let sender = sender as? Sender else { return false }
                method(target)(sender)
                return true
            }
        }

        /// A method that also takes the event, and that cannot do without one.
        public init<Target, Sender>(
            _ name: String, _ method: @escaping (Target) -> @MainActor (Sender, UIEvent) -> Void
        ) {
            description = name
            nonisolated(unsafe) let method = method
            send = { target, sender in
                guard let target = target as? Target, let sender = sender as? Sender else { return false }
                method(target)(sender, UIEvent())
                return true
            }
        }

        /// A method that also takes the event. There is none here, because no screen is touched.
        public init<Target, Sender>(
            _ name: String, _ method: @escaping (Target) -> @MainActor (Sender, UIEvent?) -> Void
        ) {
            description = name
            nonisolated(unsafe) let method = method
            send = { target, sender in
                guard let target = target as? Target, let sender = sender as? Sender else { return false }
                method(target)(sender, nil)
                return true
            }
        }

        /// Calls the method of `target`.
        /// - Returns: false if the target or the sender has another type than the method expects.
        @MainActor @discardableResult
        public func call(_ target: AnyObject, sender: Any?) -> Bool { send(target, sender) }

        public static func == (left: Selector, right: Selector) -> Bool { left.description == right.description }

        public func hash(into hasher: inout Hasher) { hasher.combine(description) }
    }
#else
    extension Selector {
        /// - Returns: false if the target does not have the method.
        @MainActor @discardableResult
        public func call(_ target: AnyObject, sender: Any?) -> Bool {
            guard target.responds(to: self) else { return false }
            _ = target.perform(self, with: sender)
            return true
        }
    }
#endif
