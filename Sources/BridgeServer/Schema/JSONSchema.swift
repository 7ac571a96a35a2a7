public import BridgeProtocol

/// A JSON Schema (draft 2020-12), as far as bridge messages need one: the keywords of ``Keyword``, and no others.
///
/// A keyword that is not among them is an error, never passed over: a schema that checks less than it says is worse
/// than none.
public struct JSONSchema: Sendable {
    /// What a schema may say. `title`, `description`, `default`, `examples`, `$schema` and `$comment` check nothing.
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

    /// Nil where any will do.
    var kinds: [Kind]?
    var choices: [ScriptValue]?
    var properties: [(name: String, schema: JSONSchema)] = []
    var required: [String] = []
    /// What members must fit that are not among the properties; nil where they may be anything.
    var others: Others?
    indirect enum Others {
        case none
        case schema(JSONSchema)
    }
    private var itemSchema: [JSONSchema] = []
    /// The schema of every element. (Held in an array, because a value can't hold itself.)
    var items: JSONSchema? {
        get { itemSchema.first }
        set { itemSchema = newValue.map { [$0] } ?? [] }
    }
    /// By the keyword that bounds something: `minItems`, `maximum`, ….
    var bounds: [Keyword: Double] = [:]
    var alternatives: [JSONSchema] = []
    /// Nothing fits: the schema `false`.
    var isNever = false

    init() {}
}

/// Why a text is no schema, and where in it.
public struct JSONSchemaError: Error, Sendable, Equatable, CustomStringConvertible {
    public let place: JSONPointer
    public let message: String

    public var description: String {
        "\(message) (at \(place.tokens.isEmpty ? "the schema's root" : place.description))"
    }
}
