import Foundation

final class StoredLocation<Value>: Location, @unchecked Sendable {
    // @unchecked Sendable: see `Location`. Any thread may set a state, so that `lock` guards the value.
    private var value: Value
    private let lock = NSLock()

    init(_ value: Value) { self.value = value }

    func get() -> Value {
        noteRead()
        return lock.withLock { value }
    }

    /// Keeps the new value. Readers are told only if it differs from the old one, whose `==` runs outside of the lock.
    func set(_ new: Value) {
        let old = lock.withLock {
            defer { value = new }
            return value
        }
        if !Fields.areEqual(old, new) { noteChange() }
    }
}

/// A value that is kept at the view's place in the tree. The view is made again if it has read the value and it changes.
@propertyWrapper public struct State<Value>: DynamicProperty {
    private let initial: Value
    private var location: StoredLocation<Value>?

    public init(wrappedValue value: Value) { initial = value }
    public init(initialValue value: Value) { initial = value }

    /// Before the view is in a tree, reading gives the initial value, and setting has no effect.
    public var wrappedValue: Value {
        get { location?.get() ?? initial }
        nonmutating set { location?.set(newValue) }
    }

    public var projectedValue: Binding<Value> {
        guard let location else { return .constant(initial) }
        return Binding(to: ObjectIdentifier(location), get: { location.get() }, set: { location.set($0) })
    }
}

extension State where Value: ExpressibleByNilLiteral {
    public init() { self.init(wrappedValue: nil) }
}

extension State: KeptProperty {
    @MainActor mutating func install(_ properties: inout PropertySlots, of node: Node) {
        location = properties.take { StoredLocation(initial) }
    }
}

/// A value that belongs to something else, with the way to read and to set it.
@propertyWrapper @dynamicMemberLookup public struct Binding<Value> {
    private let read: () -> Value
    private let write: (Value) -> Void
    /// What it leads to; nil if that is not known.
    private let place: AnyHashable?
    /// What was there when the binding was made; nil if whoever reads the place is told about its changes.
    private let made: Value?

    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {
        (read, write, place, made) = (get, set, nil, nil)
    }

    public init(get: @escaping () -> Value, set: @escaping (Value, Transaction) -> Void) {
        self.init(get: get, set: { set($0, Transaction()) })
    }

    public init(projectedValue: Binding<Value>) { self = projectedValue }

    public init?(_ base: Binding<Value?>) {
        guard let value = base.wrappedValue else { return nil }
        self.init(get: { base.wrappedValue ?? value }, set: { base.wrappedValue = $0 })
    }

    public init<Wrapped>(_ base: Binding<Wrapped>) where Value == Wrapped? {
        self.init(
            get: { base.wrappedValue }, set: { if let value = $0 { base.wrappedValue = value } })
    }

    init(
        to place: AnyHashable, made: Value? = nil, get: @escaping () -> Value, set: @escaping (Value) -> Void
    ) { (read, write, self.place, self.made) = (get, set, place, made) }

    public static func constant(_ value: Value) -> Binding<Value> { Binding(get: { value }, set: { _ in }) }

    public var wrappedValue: Value {
        get { read() }
        nonmutating set { write(newValue) }
    }

    public var projectedValue: Binding<Value> { self }

    public subscript<Subject>(dynamicMember keyPath: WritableKeyPath<Value, Subject>) -> Binding<Subject> {
        let get = { read()[keyPath: keyPath] }
        let set = { (new: Subject) in
            var value = read()
            value[keyPath: keyPath] = new
            write(value)
        }
        guard let place else { return Binding<Subject>(get: get, set: set) }
        return Binding<Subject>(
            to: [place, AnyHashable(keyPath)] as [AnyHashable], made: made?[keyPath: keyPath], get: get, set: set)
    }

    public func animation(_ animation: Animation? = .default) -> Binding<Value> { self }
    public func transaction(_ transaction: Transaction) -> Binding<Value> { self }
}

extension Binding: DynamicProperty {}

extension Binding: @unchecked Sendable where Value: Sendable {
    // @unchecked Sendable: a binding is used on the main thread, as in SwiftUI.
}

extension Binding: SelfComparing {
    /// Bindings are the same if they lead to one place and, should that not tell its readers, to the same value.
    func isSame(as other: Binding) -> Bool {
        guard let place, place == other.place else { return false }
        return switch (made, other.made) {
        case (nil, nil): true
        case (let mine?, let others?): Fields.areEqual(mine, others)
        default: false
        }
    }
}

extension Binding: Identifiable where Value: Identifiable {
    public var id: Value.ID { wrappedValue.id }
}

extension Binding: Sequence where Value: MutableCollection {
    public typealias Element = Binding<Value.Element>
    public typealias Iterator = IndexingIterator<Binding<Value>>
}

extension Binding: Collection where Value: MutableCollection {
    public typealias Index = Value.Index
    public typealias Indices = Value.Indices
    public var startIndex: Value.Index { wrappedValue.startIndex }
    public var endIndex: Value.Index { wrappedValue.endIndex }
    public var indices: Value.Indices { wrappedValue.indices }
    public func index(after index: Value.Index) -> Value.Index { wrappedValue.index(after: index) }

    public subscript(position: Value.Index) -> Binding<Value.Element> {
        Binding<Value.Element>(get: { wrappedValue[position] }, set: { wrappedValue[position] = $0 })
    }
}

extension Binding: BidirectionalCollection where Value: BidirectionalCollection & MutableCollection {
    public func index(before index: Value.Index) -> Value.Index { wrappedValue.index(before: index) }
}

extension Binding: RandomAccessCollection where Value: RandomAccessCollection & MutableCollection {}

/// Bindings to the properties of an `@Observable` object.
@propertyWrapper @dynamicMemberLookup public struct Bindable<Value> {
    public var wrappedValue: Value

    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    public init(_ wrappedValue: Value) { self.wrappedValue = wrappedValue }

    public var projectedValue: Bindable<Value> { self }

    public subscript<Subject>(dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>) -> Binding<Subject>
    where Value: AnyObject {
        Binding(
            to: [AnyHashable(ObjectIdentifier(wrappedValue)), AnyHashable(keyPath)] as [AnyHashable],
            get: { wrappedValue[keyPath: keyPath] }, set: { wrappedValue[keyPath: keyPath] = $0 })
    }
}
