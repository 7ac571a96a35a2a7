@_spi(Reflection) import Swift

/// A value that says itself whether it is the same as another, although it is not `Equatable`.
protocol SelfComparing {
    func isSame(as other: Self) -> Bool
}

/// The stored properties of values.
enum Fields {
    /// Calls `body` with the type and the place of each stored property of a struct.
    static func visit<Value>(_ value: inout Value, _ body: (Any.Type, UnsafeMutableRawPointer) -> Void) {
        withUnsafeMutablePointer(to: &value) { pointer in
            let start = UnsafeMutableRawPointer(pointer)
            _ = _forEachField(of: Value.self) { _, offset, type, _ in
                body(type, start + offset)
                return true
            }
        }
    }

    /// Whether two values are the same, as SwiftUI asks before it makes a view again: bit by bit, by `==`, or else property
    /// by property, also those of optional values. Functions are the same if they are one and have captured the same.
    static func areEqual<Value>(_ left: Value, _ right: Value) -> Bool {
        var (left, right) = (left, right)
        let isIdentical = withUnsafeBytes(of: &left) { left in
            withUnsafeBytes(of: &right) { left.elementsEqual($0) }
        }
        if isIdentical { return true }
        // A value of a protocol's type is compared as what it is.
        if type(of: left as Any) != Value.self { return isSame(left as Any, right as Any) }
        if let value = left as? any SelfComparing { return compare(value, right) }
        if let equatable = left as? any Equatable { return isEqual(equatable, right) }
        if Value.self is AnyClass { return false }
        let (first, second) = (Mirror(reflecting: left), Mirror(reflecting: right))
        if first.displayStyle == .optional { return areSame(first.children.first?.value, second.children.first?.value) }
        guard first.displayStyle == .struct else { return false }
        return withUnsafeMutablePointer(to: &left) { left in
            withUnsafeMutablePointer(to: &right) { right in
                let (first, second) = (UnsafeRawPointer(left), UnsafeRawPointer(right))
                return _forEachField(of: Value.self) { _, offset, type, _ in
                    isFieldEqual(type, first + offset, second + offset)
                }
            }
        }
    }

    private static func isSame(_ left: Any, _ right: Any) -> Bool {
        func compare<Left>(_ left: Left) -> Bool {
            guard type(of: right) == Left.self, let right = right as? Left else { return false }
            return areEqual(left, right)
        }
        return _openExistential(left, do: compare)
    }

    /// Whether there is no value, or the same value, on both sides.
    private static func areSame(_ left: Any?, _ right: Any?) -> Bool {
        if let left, let right { isSame(left, right) } else { left == nil && right == nil }
    }

    private static func compare<Left: SelfComparing>(_ left: Left, _ right: Any) -> Bool {
        (right as? Left).map(left.isSame) ?? false
    }

    private static func isEqual<Left: Equatable>(_ left: Left, _ right: Any) -> Bool { left == right as? Left }

    private static func isFieldEqual(_ type: Any.Type, _ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
        func compare<Field>(_: Field.Type) -> Bool {
            areEqual(
                left.assumingMemoryBound(to: Field.self).pointee, right.assumingMemoryBound(to: Field.self).pointee)
        }
        return _openExistential(type, do: compare)
    }
}
