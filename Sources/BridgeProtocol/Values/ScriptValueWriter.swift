#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Builds a script value piece by piece, with the `types` that its pieces need. A value type without threads.
///
/// ```swift
/// let value = try ScriptValueWriter.value { writer in
///     try writer.object { try $0.member("at") { $0.date(.now) } }
/// }
/// ```
public struct ScriptValueWriter: ~Copyable {
    private var writer = JSONWriter()
    private var types: ScriptTypes?
    private var place = JSONPointer()

    private init() {}

    /// - Parameter body: writes exactly one value.
    /// - Throws: what `body` throws, or `JSONParseError` for more than 2,048 levels of nesting.
    public static func value(_ body: (inout ScriptValueWriter) throws -> Void) throws -> ScriptValue {
        var script = ScriptValueWriter()
        try body(&script)
        let json = try script.writer.buffer.withBytes { bytes in try JSON.parse(bytes) }
        return ScriptValue(json: json, checked: script.types)
    }

    /// How many items and members are begun so far, at any depth.
    public private(set) var placeCount = 0

    /// How many arrays and objects are open.
    public var depth: Int { place.tokens.count }

    public mutating func undefined() {
        mark(.undefined)
        writer.null()
    }

    public mutating func null() { writer.null() }

    public mutating func bool(_ value: Bool) { writer.bool(value) }

    /// Any double: also NaN, the infinities and negative zero.
    public mutating func number(_ value: Double) {
        guard let name = ScriptNumber.name(of: value) else { return writer.number(value) }
        mark(.number)
        writer.string(name)
    }

    public mutating func string(_ value: String) { writer.string(value) }

    /// To the millisecond. A date beyond JavaScript's becomes an invalid one.
    public mutating func date(_ value: Date) {
        mark(.date)
        ISO8601.string(value).map { writer.string($0) } ?? writer.null()
    }

    /// A value without members, with its type; or any other that has no types in it.
    package mutating func copy(_ value: ScriptValue) {
        if let kind = value.types?.kind { mark(kind) }
        writer.json(value.json)
    }

    /// The array or object again that is open so many levels further out: a cycle. 1 is the innermost.
    public mutating func enclosing(levelsUp: Int) {
        mark(.ref)
        writer.string(JSONPointer(tokens: place.tokens.dropLast(levelsUp)).description)
    }

    /// - Parameter body: writes the item at an index.
    public mutating func array(count: Int, _ body: (inout ScriptValueWriter, Int) throws -> Void) throws {
        writer.open("[")
        for index in 0..<count { try at(String(index)) { try body(&$0, index) } }
        writer.close("]")
    }

    /// - Parameter body: writes the members, with `member`.
    public mutating func object(_ body: (inout ScriptValueWriter) throws -> Void) throws {
        writer.open("{")
        try body(&self)
        writer.close("}")
    }

    /// - Parameter body: writes the member's value.
    public mutating func member(_ name: String, _ body: (inout ScriptValueWriter) throws -> Void) throws {
        writer.key(named: name)
        try at(name, body)
    }

    private mutating func at(_ token: String, _ body: (inout ScriptValueWriter) throws -> Void) throws {
        placeCount += 1
        place.tokens.append(token)
        defer { place.tokens.removeLast() }
        try body(&self)
    }

    private mutating func mark(_ kind: ScriptTypes.Kind) {
        types = types ?? ScriptTypes()
        types?.insert(kind, at: place.tokens[...])
    }
}
