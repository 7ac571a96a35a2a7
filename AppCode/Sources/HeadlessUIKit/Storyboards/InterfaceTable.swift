import Foundation

/// The outlets and actions of a class of the app. `prepare-app` writes one for each class that has some, because Linux cannot
/// set a property or call a method by its name. (Not in UIKit.)
@preconcurrency @MainActor public struct InterfaceTable {
    /// A property that a storyboard sets.
    @preconcurrency @MainActor public struct Outlet {
        let set: (AnyObject, Any) -> Bool

        /// For `UILabel!` and `UILabel?`.
        public init<Owner: AnyObject, Value>(_ keyPath: ReferenceWritableKeyPath<Owner, Value?>) {
            set = { owner, value in
                guard let owner = owner as? Owner, let value = value as? Value else { return false }
                owner[keyPath: keyPath] = value
                return true
            }
        }

        /// For `[UILabel]`.
        @_disfavoredOverload
        public init<Owner: AnyObject, Value>(_ keyPath: ReferenceWritableKeyPath<Owner, Value>) {
            set = { owner, value in
                guard let owner = owner as? Owner, let value = value as? Value else { return false }
                owner[keyPath: keyPath] = value
                return true
            }
        }
    }

    let isOwner: (AnyObject) -> Bool
    let outlets: [String: Outlet]
    let actions: [String: Selector]

    public init<Owner: AnyObject>(_ owner: Owner.Type, outlets: [String: Outlet], actions: [String: Selector]) {
        isOwner = { $0 is Owner }
        (self.outlets, self.actions) = (outlets, actions)
    }

    private static var all: [InterfaceTable] = []

    /// The app's `main` calls it before it launches the app.
    public static func register(_ tables: [InterfaceTable]) { all += tables }

    static func outlet(_ name: String, of owner: AnyObject) -> Outlet? {
        all.lazy.filter { $0.isOwner(owner) }.compactMap { $0.outlets[name] }.first
    }

    static func action(_ name: String, of owner: AnyObject) -> Selector? {
        all.lazy.filter { $0.isOwner(owner) }.compactMap { $0.actions[name] }.first
    }
}

/// The views that a storyboard or a nib can have, by the name of their element. (Not in UIKit.)
@MainActor public enum InterfaceViews {
    /// The module with web views registers theirs.
    public static var makers: [String: () -> UIView] = [:]
}
