/// A dictionary that remembers its latest answer. Pages mostly post to one handler, and comparing a name costs a tenth
/// of hashing it. It is inlinable, so that other modules compile it for their values.
public struct NamedValues<Value> {
    @usableFromInline var values: [String: Value]
    @usableFromInline var latest: (name: String, value: Value)?

    @inlinable public init() { (values, latest) = ([:], nil) }

    @inlinable public var all: [String: Value] {
        get { values }
        set { (values, latest) = (newValue, nil) }
    }

    @inlinable public mutating func value(named name: String) -> Value? {
        if let latest, latest.name == name { return latest.value }
        guard let value = values[name] else { return nil }
        latest = (name, value)
        return value
    }
}
