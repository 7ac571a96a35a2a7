public import Foundation

/// Builds a script value piece by piece, with the `types` that the pieces need.
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

    /// Builds one value.
    ///
    /// - Parameter body: writes exactly one value.
    /// - Throws: the error of `body`, or `JSONParseError` for more than 2,048 levels of nesting.
    public static func value(_ body: (inout ScriptValueWriter) throws -> Void) throws -> ScriptValue {
        var script = ScriptValueWriter()
        try body(&script)
        let json = try script.writer.buffer.withBytes { bytes in try JSON.parse(bytes) }
        return ScriptValue(json: json, checked: script.types)
    }

    /// The number of elements and members begun so far, at any depth.
    public private(set) var placeCount = 0

    /// The number of arrays and objects that are open.
    public var depth: Int { place.tokens.count }

    public mutating func undefined() {
        mark(.undefined)
        writer.null()
    }

    public mutating func null() { writer.null() }

    public mutating func bool(_ value: Bool) { writer.bool(value) }

    /// Writes any double, including NaN, the infinities and negative zero.
    public mutating func number(_ value: Double) {
        guard let name = ScriptNumber.name(of: value) else { return writer.number(value) }
        mark(.number)
        writer.string(name)
    }

    public mutating func string(_ value: String) { writer.string(value) }

    /// Writes a date, to the millisecond. A date outside JavaScript's range becomes an invalid date.
    public mutating func date(_ value: Date) {
        mark(.date)
        ISO8601.string(value).map { writer.string($0) } ?? writer.null()
    }

    /// Writes another script value.
    package mutating func copy(_ value: ScriptValue) {
        let base = place
        value.types?.forEach { place, kind in mark(kind, at: base.tokens + place.tokens) }
        guard value.types?.contains(.ref) == true, !base.tokens.isEmpty else { return writer.json(value.json) }
        writer.write(value, pointersUnder: base)
    }

    /// Writes a reference to an array or object that is still open, which makes a cycle.
    ///
    /// - Parameter levelsUp: 1 for the innermost open array or object.
    public mutating func enclosing(levelsUp: Int) {
        mark(.ref)
        writer.string(JSONPointer(tokens: place.tokens.dropLast(levelsUp)).description)
    }

    /// Writes an array. `body` writes the element at an index.
    public mutating func array(count: Int, _ body: (inout ScriptValueWriter, Int) throws -> Void) throws {
        writer.open("[")
        for index in 0..<count { try at(String(index)) { try body(&$0, index) } }
        writer.close("]")
    }

    /// Writes an object. `body` calls ``member(_:_:)`` for each member.
    public mutating func object(_ body: (inout ScriptValueWriter) throws -> Void) throws {
        writer.open("{")
        try body(&self)
        writer.close("}")
    }

    /// Writes a member of an object. `body` writes its value.
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

    private mutating func mark(_ kind: ScriptTypes.Kind) { mark(kind, at: place.tokens) }

    private mutating func mark(_ kind: ScriptTypes.Kind, at place: [String]) {
        types = types ?? ScriptTypes()
        types?.insert(kind, at: place[...])
    }
}

extension JSONWriter {
    /// Writes the JSON of a value that becomes a part of a larger one: its references now begin at the larger one.
    fileprivate mutating func write(_ value: ScriptValue, pointersUnder base: JSONPointer) {
        switch value.kind {
        case .reference:
            string(JSONPointer(tokens: base.tokens + (value.referenceTarget?.tokens ?? [])).description)
        case .object:
            object { writer in
                value.json.forEachMember { name, _ in
                    writer.key(named: name)
                    value.child(name).map { writer.write($0, pointersUnder: base) } ?? writer.null()
                }
            }
        case .array:
            array { writer in
                for index in 0..<value.json.count {
                    value.child(index: index).map { writer.write($0, pointersUnder: base) } ?? writer.null()
                }
            }
        default: json(value.json)
        }
    }
}
