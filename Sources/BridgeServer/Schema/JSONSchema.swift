public import BridgeProtocol

/// A JSON Schema (draft 2020-12) with the keywords that bridge messages need: those of ``Keyword``.
///
/// Any other keyword is an error, because otherwise a schema would seem to check more than it does.
public struct JSONSchema: Sendable {
    /// The supported keywords. `title`, `description`, `default`, `examples`, `$schema` and `$comment` check nothing.
    public enum Keyword: String, Sendable, CaseIterable {
        case type, `enum`, const, properties, required, additionalProperties, items, minItems, maxItems
        case minLength, maxLength, minimum, maximum, anyOf
        case title, description, `default`, examples
        case schema = "$schema"
        case comment = "$comment"
    }

    enum Kind: String, CaseIterable {
        case null, boolean, number, integer, string, array, object
    }

    /// The allowed types; nil for any.
    var kinds: [Kind]?
    /// The allowed values, from `enum` or `const`; nil for any.
    var choices: [ScriptValue]?
    var properties: [(name: String, schema: JSONSchema)] = []
    var required: [String] = []
    /// The rule for members that are not among the properties (`additionalProperties`); nil if they may be anything.
    var others: Others?
    indirect enum Others {
        case none
        case schema(JSONSchema)
    }
    private var itemSchema: [JSONSchema] = []
    /// The schema of every element. It is stored in an array, because a struct cannot contain itself.
    var items: JSONSchema? {
        get { itemSchema.first }
        set { itemSchema = newValue.map { [$0] } ?? [] }
    }
    /// The bounds by keyword, such as `minItems` or `maximum`.
    var bounds: [Keyword: Double] = [:]
    var alternatives: [JSONSchema] = []
    /// Whether this is the schema `false`, which no value matches.
    var isNever = false

    init() {}
}

/// An error about a mistake in a schema, with its place.
public struct JSONSchemaError: Error, Sendable, Equatable, CustomStringConvertible {
    public let place: JSONPointer
    public let message: String

    public var description: String {
        "\(message) (at \(place.tokens.isEmpty ? "the schema's root" : place.description))"
    }
}
