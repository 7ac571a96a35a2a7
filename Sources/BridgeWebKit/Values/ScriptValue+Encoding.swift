public import BridgeProtocol
import Foundation

/// The error if a reply or an argument has a native value that has no JavaScript form.
public struct UnserializableValue: Error, CustomStringConvertible {
    public let type: any Any.Type

    public var description: String {
        "A \(type) has no JavaScript form. Use nil, NSNull, NSNumber, Bool, numbers, String, Date, arrays, and dictionaries with String keys."
    }
}

extension ScriptValue {
    /// Converts a native value to a JavaScript value, as WebKit does in
    /// `Source/WebKit/Shared/JavaScriptEvaluationResult.mm`.
    ///
    /// nil becomes `undefined`, `NSNull` null, `Bool` and a Boolean `NSNumber` a boolean, and other numbers a number.
    /// - Throws: `UnserializableValue` if a value at any depth has another type, or if there are more than a million
    ///   values or 2,000 levels. A value that occurs in several places counts once for each place.
    public init(nativeValue: Any?) throws {
        try self.init(nativeValue: nativeValue, limit: 1_000_000)
    }

    /// - Parameter limit: the maximum number of values.
    init(nativeValue: Any?, limit: Int) throws {
        self = try ScriptValueWriter.value { try $0.write(nativeValue: nativeValue, limit: limit) }
    }
}

extension ScriptValueWriter {
    /// The maximum nesting. It is a little less than the limit of the JSON parser, which is 2,048.
    private static let maximumDepth = 2_000

    fileprivate mutating func write(nativeValue: Any?, limit: Int) throws {
        // Containers come before classes, because casting a Swift container to a class boxes all of its contents.
        switch unwrapped(nativeValue) {
        case let value? where placeCount > limit: throw UnserializableValue(type: type(of: value))
        case nil: depth == 0 ? undefined() : null()
        case let value as String: string(value)
        case let value as [Any] where depth < Self.maximumDepth:
            try array(count: value.count) { try $0.write(nativeValue: value[$1], limit: limit) }
        case let value as [String: Any] where depth < Self.maximumDepth:
            try object { writer in
                for (key, value) in value.sorted(by: { $0.key < $1.key }) {
                    try writer.member(key) { try $0.write(nativeValue: value, limit: limit) }
                }
            }
        case is [Any], is [String: Any]: throw UnserializableValue(type: type(of: nativeValue))
        case let value as Date: date(value)
        case let value as CGFloat: number(Double(value))
        case let value as CyclicReference where 1...max(1, depth) ~= value.levelsUp: enclosing(levelsUp: value.levelsUp)
        case let value as NSNumber: value.isBoolean ? bool(value.boolValue) : number(value.doubleValue)
        case is NSNull: null()
        case let value?: throw UnserializableValue(type: type(of: value))
        }
    }
}

extension NSNumber {
    /// Whether the number was made from a `Bool`; WebKit tests for a `CFBoolean`. In Foundation on Linux, only these
    /// have the type code `c`.
    fileprivate var isBoolean: Bool {
        #if canImport(ObjectiveC)
            CFGetTypeID(self) == CFBooleanGetTypeID()
        #else
            objCType.pointee == CChar(bitPattern: UInt8(ascii: "c"))
        #endif
    }
}

/// An optional of any type. An `Any` that holds an optional can be cast to this.
private protocol ErasedOptional {
    var erased: Any? { get }
}

extension Optional: ErasedOptional {
    fileprivate var erased: Any? { map { $0 as Any } }
}

/// Returns the value without the optionals around it.
func unwrapped(_ value: Any?) -> Any? {
    guard let value else { return nil }
    guard let optional = value as? any ErasedOptional else { return value }
    return unwrapped(optional.erased)
}

/// Returns the value as an `Any` that holds no optional, except for nil, for which it holds `nil` as on Apple's systems.
func boxed(_ value: Any?) -> Any {
    if let value { value } else { Any?.none as Any }
}
