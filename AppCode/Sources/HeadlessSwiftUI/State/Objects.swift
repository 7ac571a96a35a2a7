/// Makes a node's view again before each change of an object.
@MainActor final class ObjectSubscription {
    private weak var object: AnyObject?
    private var cancellable: AnyCancellable?

    func follow<Object: ObservableObject>(_ object: Object, for node: Node) {
        guard self.object !== object else { return }
        self.object = object
        cancellable = object.objectWillChange.sink { [weak node] _ in
            Dependencies.onMain { if let node { Updates.invalidate(node) } }
        }
    }
}

/// Bindings to the properties of an object. It tells only the view that holds it about its changes, which then makes new
/// bindings. So a view below is made again if the new binding's value differs.
@dynamicMemberLookup public struct ObjectWrapper<Object: AnyObject> {
    let object: Object

    public subscript<Subject>(dynamicMember keyPath: ReferenceWritableKeyPath<Object, Subject>) -> Binding<Subject> {
        Binding(
            to: [AnyHashable(ObjectIdentifier(object)), AnyHashable(keyPath)] as [AnyHashable],
            made: object[keyPath: keyPath], get: { object[keyPath: keyPath] }, set: { object[keyPath: keyPath] = $0 })
    }
}

/// An object that belongs to something else. The view is made again after each change of it.
@preconcurrency @MainActor @propertyWrapper
public struct ObservedObject<ObjectType: ObservableObject>: DynamicProperty, KeptProperty {
    public typealias Wrapper = ObjectWrapper<ObjectType>

    public var wrappedValue: ObjectType

    public init(wrappedValue: ObjectType) { self.wrappedValue = wrappedValue }
    public init(initialValue: ObjectType) { wrappedValue = initialValue }

    public var projectedValue: Wrapper { ObjectWrapper(object: wrappedValue) }

    mutating func install(_ properties: inout PropertySlots, of node: Node) {
        properties.take { ObjectSubscription() }.follow(wrappedValue, for: node)
    }
}

/// An object that the view makes once, and keeps at its place in the tree.
@propertyWrapper public struct StateObject<ObjectType: ObservableObject>: DynamicProperty, KeptProperty {
    final class Kept {
        let object: ObjectType
        let subscription: ObjectSubscription

        init(_ object: ObjectType, _ subscription: ObjectSubscription) {
            (self.object, self.subscription) = (object, subscription)
        }
    }

    private let make: () -> ObjectType
    private var kept: Kept?

    public init(wrappedValue make: @autoclosure @escaping () -> ObjectType) {
        self.make = make
        kept = nil
    }

    /// Before the view is in a tree, each access makes another object, as in SwiftUI.
    @preconcurrency @MainActor public var wrappedValue: ObjectType { kept?.object ?? make() }
    @preconcurrency @MainActor public var projectedValue: ObservedObject<ObjectType>.Wrapper {
        ObjectWrapper(object: wrappedValue)
    }

    @MainActor mutating func install(_ properties: inout PropertySlots, of node: Node) {
        let kept = properties.take { Kept(make(), ObjectSubscription()) }
        kept.subscription.follow(kept.object, for: node)
        self.kept = kept
    }
}

/// An object that `environmentObject(_:)` of a view above has given.
@propertyWrapper public struct EnvironmentObject<ObjectType: ObservableObject>: DynamicProperty, KeptProperty {
    private var object: ObjectType?

    public init() { object = nil }

    @preconcurrency @MainActor public var wrappedValue: ObjectType {
        guard let object else {
            fatalError(
                "No ObservableObject of type \(ObjectType.self) found. A View.environmentObject(_:) for \(ObjectType.self) may "
                    + "be missing as an ancestor of this view.")
        }
        return object
    }

    @preconcurrency @MainActor public var projectedValue: ObservedObject<ObjectType>.Wrapper {
        ObjectWrapper(object: wrappedValue)
    }

    @MainActor mutating func install(_ properties: inout PropertySlots, of node: Node) {
        let subscription = properties.take { ObjectSubscription() }
        object = node.environment.object(of: ObjectType.self)
        if let object { subscription.follow(object, for: node) }
    }
}
