public import Foundation

/// A value in the user defaults.
@propertyWrapper public struct AppStorage<Value>: DynamicProperty {
    private let read: (UserDefaults) -> Value
    private let write: (UserDefaults, Value) -> Void
    private let store: UserDefaults

    fileprivate init(
        _ key: String, _ value: Value, _ store: UserDefaults?, read: @escaping (Any?) -> Value?,
        write: @escaping (Value) -> Any?
    ) {
        self.store = store ?? .standard
        self.read = { $0.object(forKey: key).flatMap(read) ?? value }
        self.write = { defaults, value in
            if let value = write(value) { defaults.set(value, forKey: key) } else { defaults.removeObject(forKey: key) }
        }
    }

    public var wrappedValue: Value {
        get {
            DefaultsLocation.shared.noteRead()
            return read(store)
        }
        nonmutating set {
            write(store, newValue)
            DefaultsLocation.shared.noteChange()
        }
    }

    public var projectedValue: Binding<Value> { Binding(get: { wrappedValue }, set: { wrappedValue = $0 }) }
}

/// All values in the user defaults. (Foundation on Linux says nothing about changes; `AppleUserDefaults` does.)
private final class DefaultsLocation: Location, @unchecked Sendable {
    // @unchecked Sendable: see `Location`.
    static let shared = DefaultsLocation()

    private override init() {
        super.init()
        // The observer is never removed, because this location lives as long as the process.
        _ = NotificationCenter.default.addObserver(
            forName: UserDefaults.didChangeNotification, object: nil, queue: nil
        ) { [weak self] _ in self?.noteChange() }
    }
}

extension AppStorage {
    private init(plain value: Value, _ key: String, _ store: UserDefaults?) {
        self.init(key, value, store, read: { $0 as? Value }, write: { $0 })
    }

    public init(wrappedValue: Value, _ key: String, store: UserDefaults? = nil) where Value == Bool {
        self.init(plain: wrappedValue, key, store)
    }
    public init(wrappedValue: Value, _ key: String, store: UserDefaults? = nil) where Value == Int {
        self.init(plain: wrappedValue, key, store)
    }
    public init(wrappedValue: Value, _ key: String, store: UserDefaults? = nil) where Value == Double {
        self.init(plain: wrappedValue, key, store)
    }
    public init(wrappedValue: Value, _ key: String, store: UserDefaults? = nil) where Value == String {
        self.init(plain: wrappedValue, key, store)
    }
    public init(wrappedValue: Value, _ key: String, store: UserDefaults? = nil) where Value == Data {
        self.init(plain: wrappedValue, key, store)
    }
    public init(wrappedValue: Value, _ key: String, store: UserDefaults? = nil) where Value == URL {
        self.init(
            key, wrappedValue, store, read: { ($0 as? String).flatMap(URL.init(string:)) }, write: { $0.absoluteString }
        )
    }
    public init(wrappedValue: Value, _ key: String, store: UserDefaults? = nil)
    where Value: RawRepresentable, Value.RawValue == Int {
        self.init(key, wrappedValue, store, read: { ($0 as? Int).flatMap(Value.init) }, write: { $0.rawValue })
    }
    public init(wrappedValue: Value, _ key: String, store: UserDefaults? = nil)
    where Value: RawRepresentable, Value.RawValue == String {
        self.init(key, wrappedValue, store, read: { ($0 as? String).flatMap(Value.init) }, write: { $0.rawValue })
    }
    public init(_ key: String, store: UserDefaults? = nil) where Value == String? {
        self.init(key, nil, store, read: { $0 as? String }, write: { $0 })
    }
    public init(_ key: String, store: UserDefaults? = nil) where Value == Int? {
        self.init(key, nil, store, read: { $0 as? Int }, write: { $0 })
    }
    public init(_ key: String, store: UserDefaults? = nil) where Value == Bool? {
        self.init(key, nil, store, read: { $0 as? Bool }, write: { $0 })
    }
}

/// A value of the scene. It is kept like a `State`, because no scene is restored here.
public typealias SceneStorage = SceneValue

@propertyWrapper public struct SceneValue<Value>: DynamicProperty {
    private var state: State<Value>

    public init(wrappedValue: Value, _ key: String) { state = State(wrappedValue: wrappedValue) }
    public var wrappedValue: Value {
        get { state.wrappedValue }
        nonmutating set { state.wrappedValue = newValue }
    }
    public var projectedValue: Binding<Value> { state.projectedValue }
}

/// Which field has the keyboard. No keyboard is shown here; the value is what the app sets.
@propertyWrapper public struct FocusState<Value: Hashable>: DynamicProperty {
    @propertyWrapper public struct Binding {
        let binding: HeadlessSwiftUI.Binding<Value>

        public var wrappedValue: Value {
            get { binding.wrappedValue }
            nonmutating set { binding.wrappedValue = newValue }
        }
        public var projectedValue: Binding { self }
    }

    private var state: State<Value>

    public init() where Value == Bool { state = State(wrappedValue: false) }
    public init<Wrapped>() where Value == Wrapped? { state = State(wrappedValue: nil) }

    public var wrappedValue: Value {
        get { state.wrappedValue }
        nonmutating set { state.wrappedValue = newValue }
    }
    public var projectedValue: Binding { Binding(binding: state.projectedValue) }
}

@propertyWrapper public struct GestureState<Value>: DynamicProperty {
    private var state: State<Value>

    public init(wrappedValue: Value) { state = State(wrappedValue: wrappedValue) }
    public init(initialValue: Value) { state = State(wrappedValue: initialValue) }
    public var wrappedValue: Value { state.wrappedValue }
    public var projectedValue: GestureState<Value> { self }
}

@propertyWrapper public struct Namespace: DynamicProperty {
    public struct ID: Hashable, Sendable { let number: Int }

    public init() {}
    public var wrappedValue: ID { ID(number: 0) }
}
