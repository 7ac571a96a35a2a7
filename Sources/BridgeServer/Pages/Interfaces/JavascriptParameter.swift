public import BridgeProtocol
import Foundation

/// A type that a method of a ``JavascriptInterface`` may take: `String`, `Int`, `Double`, `Bool`, or `String?`.
///
/// What does not fit becomes what Android makes of it, in silence there; here a problem `argumentCoerced` is recorded
/// (Chromium, `gin_java_script_to_java_types_coercion.cc`).
public protocol JavascriptParameter: Sendable {
    /// What messages call the type.
    static var javascriptType: String { get }
    /// What of JavaScript it holds without loss.
    static var javascriptKinds: Set<ScriptValue.Kind> { get }
    /// Nil for what Kotlin refuses: null, where the type is not optional.
    init?(javascript value: ScriptValue)
}

extension String: JavascriptParameter {
    public static let javascriptType = "String"
    public static let javascriptKinds: Set<ScriptValue.Kind> = [.string, .number, .bool]

    /// A number has six digits that count, as printf's `%g`; an object is `"undefined"`, as undefined itself.
    public init?(javascript value: ScriptValue) {
        switch value.kind {
        case .string: self = value.string ?? ""
        case .number: self = String.androidText(value.number ?? 0)
        case .bool: self = "\(value.bool ?? false)"
        case .null: return nil
        case .undefined, .date, .array, .object, .reference: self = "undefined"
        }
    }

    private static func androidText(_ number: Double) -> String {
        if let whole = Int32(exactly: number) { return "\(whole)" }
        return String(format: "%.6lg", number)
    }
}

extension Optional: JavascriptParameter where Wrapped == String {
    public static var javascriptType: String { "String?" }
    public static var javascriptKinds: Set<ScriptValue.Kind> { String.javascriptKinds.union([.null]) }
    public init?(javascript value: ScriptValue) { self = String(javascript: value) }
}

extension Double: JavascriptParameter {
    public static let javascriptType = "Double"
    public static let javascriptKinds: Set<ScriptValue.Kind> = [.number]
    /// What is no number is 0.
    public init?(javascript value: ScriptValue) { self = value.number ?? 0 }
}

extension Int: JavascriptParameter {
    public static let javascriptType = "Int"
    public static let javascriptKinds: Set<ScriptValue.Kind> = [.number]

    /// A fraction is cut off, NaN and what is no number are 0, what is too large is the largest there is.
    public init?(javascript value: ScriptValue) {
        let whole = (value.number ?? 0).rounded(.towardZero)
        self = whole.isNaN ? 0 : Int(exactly: whole) ?? (whole > 0 ? .max : .min)
    }
}

extension Bool: JavascriptParameter {
    public static let javascriptType = "Bool"
    public static let javascriptKinds: Set<ScriptValue.Kind> = [.bool]
    /// What is no boolean is false, whatever JavaScript thinks of it.
    public init?(javascript value: ScriptValue) { self = value.bool ?? false }
}

/// A type that a method of a ``JavascriptInterface`` may return: `String`, `Int`, `Double`, `Bool`, or one of them that
/// may be nil.
public protocol JavascriptResult: Sendable {
    var javascriptValue: ScriptValue { get }
}

extension String: JavascriptResult {
    public var javascriptValue: ScriptValue { .written { $0.string(self) } }
}

extension Double: JavascriptResult {
    public var javascriptValue: ScriptValue { .written { $0.number(self) } }
}

extension Int: JavascriptResult {
    public var javascriptValue: ScriptValue { Double(self).javascriptValue }
}

extension Bool: JavascriptResult {
    public var javascriptValue: ScriptValue { .written { $0.bool(self) } }
}

/// Nil is undefined, as a `null` String of Java is (Chromium, `JavaBridgeReturnValuesTest`).
extension Optional: JavascriptResult where Wrapped: JavascriptResult {
    public var javascriptValue: ScriptValue { self?.javascriptValue ?? .undefined }
}

extension ScriptValue {
    fileprivate static func written(_ write: (inout ScriptValueWriter) -> Void) -> ScriptValue {
        // A single value is never nested too deep.
        (try? ScriptValueWriter.value(write)) ?? .undefined
    }
}
