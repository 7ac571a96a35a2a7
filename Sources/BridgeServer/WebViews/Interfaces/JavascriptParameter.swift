public import BridgeProtocol
import Foundation

/// A type that a method of a ``JavascriptInterface`` may take: `String`, `Int`, `Double`, `Bool`, or `String?`.
///
/// An argument that does not fit is converted as Android does (Chromium, `gin_java_script_to_java_types_coercion.cc`).
/// Android reports nothing; here a problem `argumentCoerced` is recorded.
public protocol JavascriptParameter: Sendable {
    /// The name of the type in messages.
    static var javascriptType: String { get }
    /// The kinds of JavaScript values that convert to the type without loss.
    static var javascriptKinds: Set<ScriptValue.Kind> { get }
    /// Converts a value. Fails for a value that Kotlin refuses: null for `String`, which is not nullable.
    init?(javascript value: ScriptValue)
}

extension String: JavascriptParameter {
    public static let javascriptType = "String"
    public static let javascriptKinds: Set<ScriptValue.Kind> = [.string, .number, .bool]

    /// A number is printed with six significant digits, like printf's `%g`. An object becomes `"undefined"`, and so
    /// does undefined itself.
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
    /// Anything but a number becomes 0.
    public init?(javascript value: ScriptValue) { self = value.number ?? 0 }
}

extension Int: JavascriptParameter {
    public static let javascriptType = "Int"
    public static let javascriptKinds: Set<ScriptValue.Kind> = [.number]

    /// A fraction is cut off. NaN and anything but a number become 0. A number beyond the range of `Int` becomes its
    /// nearest end.
    public init?(javascript value: ScriptValue) {
        let whole = (value.number ?? 0).rounded(.towardZero)
        self = whole.isNaN ? 0 : Int(exactly: whole) ?? (whole > 0 ? .max : .min)
    }
}

extension Bool: JavascriptParameter {
    public static let javascriptType = "Bool"
    public static let javascriptKinds: Set<ScriptValue.Kind> = [.bool]
    /// Anything but a boolean becomes false, even if it is true in JavaScript.
    public init?(javascript value: ScriptValue) { self = value.bool ?? false }
}

/// A type that a method of a ``JavascriptInterface`` may return: `String`, `Int`, `Double`, `Bool`, or an optional of
/// one of them.
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

/// Nil becomes undefined, like a `null` String of Java (Chromium, `JavaBridgeReturnValuesTest`).
extension Optional: JavascriptResult where Wrapped: JavascriptResult {
    public var javascriptValue: ScriptValue { self?.javascriptValue ?? .undefined }
}

extension ScriptValue {
    /// Reads JSON text.
    /// - Returns: nil if the text is no JSON, or is nested too deep.
    init?(json text: String) {
        guard let json = try? JSON.parse(text, .untrusted) else { return nil }
        try? self.init(json: json)
    }

    fileprivate static func written(_ write: (inout ScriptValueWriter) -> Void) -> ScriptValue {
        // A single value is never nested too deep.
        (try? ScriptValueWriter.value(write)) ?? .undefined
    }

    /// The value as JSON text, converted as Chromium does (`V8ValueConverterImpl`): a date becomes its seconds since
    /// 1970. Values that JSON cannot express are left out of objects, and are null elsewhere.
    var androidJSON: String {
        var writer = JSONWriter()
        writeAndroid(to: &writer)
        return writer.text
    }

    private func writeAndroid(to writer: inout JSONWriter) {
        switch kind {
        case .undefined, .reference, .null: writer.null()
        case .bool: writer.bool(bool ?? false)
        case .number: writer.number(number ?? 0)
        case .string: writer.string(string ?? "")
        case .date: writer.number(date?.timeIntervalSince1970 ?? 0)
        case .array:
            writer.array { writer in
                for index in 0..<json.count { child(index: index)?.writeAndroid(to: &writer) }
            }
        case .object:
            writer.object { writer in
                json.forEachMember { key, _ in
                    guard let member = child(key), ![.undefined, .reference].contains(member.kind) else { return }
                    if member.number.map(\.isFinite) == false { return }
                    writer.key(named: key)
                    member.writeAndroid(to: &writer)
                }
            }
        }
    }
}
