public import Foundation

/// The outlets, actions and segue actions of a class. `prepare-app` writes one for each class of the app that has some,
/// because Linux cannot set a property or call a method by its name. (Not in UIKit.)
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

        private init(set: @escaping (AnyObject, Any) -> Bool) { self.set = set }

        /// The view of a controller. Setting a value at a key path also reads it, which would load the view.
        fileprivate static let view = Outlet { owner, value in
            guard let owner = owner as? UIViewController, let value = value as? UIView else { return false }
            owner.view = value
            return true
        }
    }

    /// A method with `@IBSegueAction`, which makes the destination of a segue.
    @preconcurrency @MainActor public struct SegueAction {
        let make: (_ owner: AnyObject, NSCoder, _ sender: Any?, _ identifier: String?) -> UIViewController?

        public init<Owner: AnyObject>(_ method: @escaping (Owner) -> @MainActor (NSCoder) -> UIViewController?) {
            make = { owner, coder, _, _ in (owner as? Owner).flatMap { method($0)(coder) } }
        }

        public init<Owner: AnyObject>(_ method: @escaping (Owner) -> @MainActor (NSCoder, Any?) -> UIViewController?) {
            make = { owner, coder, sender, _ in (owner as? Owner).flatMap { method($0)(coder, sender) } }
        }

        public init<Owner: AnyObject>(
            _ method: @escaping (Owner) -> @MainActor (NSCoder, Any?, String?) -> UIViewController?
        ) {
            make = { owner, coder, sender, identifier in
                (owner as? Owner).flatMap { method($0)(coder, sender, identifier) }
            }
        }
    }

    private let isOwner: (AnyObject) -> Bool
    private let outlets: [String: Outlet]
    private let actions: [String: Selector]
    private let segueActions: [String: SegueAction]

    public init<Owner: AnyObject>(
        _ owner: Owner.Type, outlets: [String: Outlet] = [:], actions: [String: Selector] = [:],
        segueActions: [String: SegueAction] = [:]
    ) {
        isOwner = { $0 is Owner }
        (self.outlets, self.actions, self.segueActions) = (outlets, actions, segueActions)
    }

    private static var registered: [InterfaceTable] = []

    /// The app's `main` calls it before it launches the app, and the module with web views for these.
    public static func register(_ tables: [InterfaceTable]) { registered += tables }

    static func outlet(_ name: String, of owner: AnyObject) -> Outlet? { first(owner) { $0.outlets[name] } }

    static func action(_ name: String, of owner: AnyObject) -> Selector? { first(owner) { $0.actions[name] } }

    static func segueAction(_ name: String, of owner: AnyObject) -> SegueAction? {
        first(owner) { $0.segueActions[name] }
    }

    private static func first<Entry>(_ owner: AnyObject, _ find: (InterfaceTable) -> Entry?) -> Entry? {
        for table in registered + ofUIKit where table.isOwner(owner) {
            if let found = find(table) { return found }
        }
        return nil
    }

    /// The outlets of UIKit's own classes.
    private static let ofUIKit = [
        InterfaceTable(UIViewController.self, outlets: ["view": .view]),
        InterfaceTable(UINavigationController.self, outlets: ["delegate": Outlet(\UINavigationController.delegate)]),
        InterfaceTable(UITabBarController.self, outlets: ["delegate": Outlet(\UITabBarController.delegate)]),
        InterfaceTable(UISplitViewController.self, outlets: ["delegate": Outlet(\UISplitViewController.delegate)]),
        InterfaceTable(UIGestureRecognizer.self, outlets: ["delegate": Outlet(\UIGestureRecognizer.delegate)]),
        InterfaceTable(UITextField.self, outlets: ["delegate": Outlet(\UITextField.delegate)]),
        InterfaceTable(UISearchBar.self, outlets: ["delegate": Outlet(\UISearchBar.delegate)]),
        InterfaceTable(UITabBar.self, outlets: ["delegate": Outlet(\UITabBar.delegate)]),
        InterfaceTable(UIScrollView.self, outlets: ["delegate": Outlet(\UIScrollView.delegate)]),
        InterfaceTable(UITableView.self, outlets: ["dataSource": Outlet(\UITableView.dataSource)]),
    ]
}

/// The views that a storyboard or a nib can have, by the name of their element. (Not in UIKit.)
@MainActor public enum InterfaceViews {
    /// The module with web views registers theirs. It registers their outlets as an ``InterfaceTable``.
    public static var makers: [String: () -> UIView] = [:]
}
