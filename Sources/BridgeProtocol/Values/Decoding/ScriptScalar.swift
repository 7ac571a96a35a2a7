import Foundation

/// A type that decodes from a single value, without a container.
protocol ScriptScalar {
    /// Returns `nil` if the value is of another kind or does not fit exactly.
    static func read(_ value: ScriptValue) -> Self?
    /// What a body should have, for errors.
    static var expected: String { get }
}

extension ScriptScalar {
    static var expected: String { "\(Self.self)" }
}

extension Bool: ScriptScalar {
    static func read(_ value: ScriptValue) -> Bool? { value.bool }
}

extension String: ScriptScalar {
    static func read(_ value: ScriptValue) -> String? { value.string }
}

extension Double: ScriptScalar {
    static func read(_ value: ScriptValue) -> Double? { value.number }
}

extension Float: ScriptScalar {
    /// Rounds to the nearest `Float`. Returns `nil` for a finite number outside its range.
    static func read(_ value: ScriptValue) -> Float? {
        value.number.flatMap { number in
            let rounded = Float(number)
            return rounded.isInfinite && number.isFinite ? nil : rounded
        }
    }
}

extension FixedWidthInteger {
    static func read(_ value: ScriptValue) -> Self? { value.number.flatMap(Self.init(exactly:)) }
}

extension Int: ScriptScalar {}
extension Int8: ScriptScalar {}
extension Int16: ScriptScalar {}
extension Int32: ScriptScalar {}
extension Int64: ScriptScalar {}
extension UInt: ScriptScalar {}
extension UInt8: ScriptScalar {}
extension UInt16: ScriptScalar {}
extension UInt32: ScriptScalar {}
extension UInt64: ScriptScalar {}

extension Date: ScriptScalar {
    static func read(_ value: ScriptValue) -> Date? { value.date ?? value.string.flatMap(ISO8601.date) }
}

extension URL: ScriptScalar {
    static func read(_ value: ScriptValue) -> URL? { value.string.flatMap { URL(string: $0) } }
}

extension Data: ScriptScalar {
    static var expected: String { "Data in base64" }

    static func read(_ value: ScriptValue) -> Data? { value.string.flatMap { Data(base64Encoded: $0) } }
}

extension UUID: ScriptScalar {
    static func read(_ value: ScriptValue) -> UUID? { value.string.flatMap { UUID(uuidString: $0) } }
}

extension Decimal: ScriptScalar {
    /// Reads the digits that JavaScript prints for the number, so that 0.1 is exactly 0.1, or the digits of a string.
    static func read(_ value: ScriptValue) -> Decimal? {
        let text = value.number.map { $0.isFinite ? "\($0)" : "" } ?? value.string ?? ""
        let characters = "0123456789+-.eE".utf8
        // Foundation would read "12 apples" as 12.
        guard !text.isEmpty, text.utf8.allSatisfy(characters.contains), Double(text) != nil else { return nil }
        return Decimal(string: text)
    }
}
