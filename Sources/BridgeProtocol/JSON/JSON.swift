private import CJansson

/// One node of a parsed JSON text, and a strong reference to the tree that it is part of.
///
/// The tree never changes after the parse, so any number of threads may read it at once. Reading a node of the wrong
/// kind answers `nil` or nothing; no input traps.
///
/// This is the only file that knows jansson. The rest of the module sees ``JSONNode``.
public struct JSON: Sendable {
    /// What a node can be (RFC 8259, section 3).
    public enum Kind: String, Sendable {
        case null, bool, number, string, array, object
    }

    private let node: JSONNode
    private let tree: JSONTree

    /// The value `null`.
    public static let null = JSON(tree: JSONTree(owning: JSONNode(json_null())))

    /// - Parameter root: its one reference goes over to the value.
    init(owning root: JSONNode) { self.init(tree: JSONTree(owning: root)) }

    private init(tree: JSONTree) {
        self.node = tree.root
        self.tree = tree
    }

    private init(node: JSONNode, tree: JSONTree) {
        self.node = node
        self.tree = tree
    }

    /// Hands out the bare node. The tree stays alive until `body` returns, which ARC alone would not promise.
    func withNode<R, E: Error>(_ body: (JSONNode) throws(E) -> R) throws(E) -> R {
        try withExtendedLifetime(tree) { () throws(E) in try body(node) }
    }

    /// Another node of the same tree.
    func sibling(_ node: JSONNode) -> JSON { JSON(node: node, tree: tree) }

    /// Parses one JSON text: any value, not only an object or array.
    ///
    /// All numbers are doubles, as in JavaScript. A number too large for a double counts as ±1.7976931348623157e308:
    /// jansson refuses such numbers, so the text is then copied with all of them clamped at once and parsed a second
    /// time. (Columns and offsets of an error found in that second parse count in the copy.)
    ///
    /// Parsing and printing recurse as deep as the text nests: a thread of your own needs a stack of 2 MiB.
    ///
    /// - Parameter bytes: UTF-8, without a byte order mark. Nothing refers to it after the call.
    /// - Throws: ``JSONParseError``, also for what JSON allows but jansson does not: a lone surrogate escape in a
    ///   string, NUL in a key, and more than 2,048 levels of nesting.
    public static func parse(_ bytes: UnsafeRawBufferPointer) throws(JSONParseError) -> JSON {
        if let root = JSONReader.root(of: bytes) { return JSON(owning: root) }
        do {
            return try decode(bytes)
        } catch {
            guard error.cause == .numberTooLarge else { throw error }
            let clamped = NumberClamp.clamp(bytes)
            return try clamped.withUnsafeBytes { copy in
                Result { () throws(JSONParseError) in try decode(copy) }
            }.get()
        }
    }

    /// Jansson reads the text.
    static func decode(_ bytes: UnsafeRawBufferPointer) throws(JSONParseError) -> JSON {
        var error = json_error_t()
        guard let start = bytes.baseAddress else { throw .emptyText }
        guard let root = json_loadb(start, bytes.count, JSONNode.decodingFlags, &error) else {
            throw JSONParseError(
                message: String(cString: bridged_json_error_text(&error)),
                line: Int(error.line),
                column: Int(error.column),
                offset: Int(error.position),
                cause: cause(of: json_error_code(UInt32(max(0, bridged_json_error_code(&error)))))
            )
        }
        return JSON(tree: JSONTree(owning: JSONNode(root)))
    }

    private static func cause(of code: json_error_code) -> JSONParseError.Cause {
        switch code {
        case json_error_invalid_syntax, json_error_end_of_input_expected: .syntax
        case json_error_invalid_utf8: .invalidUTF8
        case json_error_stack_overflow: .tooDeep
        case json_error_null_byte_in_key: .nulInKey
        case json_error_premature_end_of_input: .prematureEnd
        case json_error_numeric_overflow: .numberTooLarge
        default: .other
        }
    }
}

/// Owns a jansson tree: one reference, given back once.
///
/// `@unchecked Sendable`: nothing changes the tree or its reference counts after the parse, and ARC runs `deinit` once.
private final class JSONTree: @unchecked Sendable {
    let root: JSONNode

    init(owning root: JSONNode) { self.root = root }

    deinit { root.release() }
}

/// A node without ownership, for walks that should not count references. Valid while a ``JSON`` of its tree lives.
///
/// `@unchecked Sendable`: it points into a tree that never changes.
struct JSONNode: @unchecked Sendable {
    private let pointer: UnsafeMutablePointer<json_t>

    fileprivate init(_ pointer: UnsafeMutablePointer<json_t>) { self.pointer = pointer }

    /// Gives back a reference.
    func release() { json_decref(pointer) }

    var kind: JSON.Kind {
        switch bridged_json_typeof(pointer) {
        case JSON_OBJECT: .object
        case JSON_ARRAY: .array
        case JSON_STRING: .string
        case JSON_INTEGER, JSON_REAL: .number
        case JSON_TRUE, JSON_FALSE: .bool
        default: .null
        }
    }

    var bool: Bool? {
        switch bridged_json_typeof(pointer) {
        case JSON_TRUE: true
        case JSON_FALSE: false
        default: nil
        }
    }

    var number: Double? { kind == .number ? json_number_value(pointer) : nil }

    /// The string's UTF-8, valid while the tree lives.
    var utf8: UnsafeBufferPointer<UInt8>? {
        guard let text = json_string_value(pointer) else { return nil }
        return bytes(text, count: json_string_length(pointer))
    }

    /// Members of an object, elements of an array, 0 for the rest.
    var count: Int {
        switch kind {
        case .object: json_object_size(pointer)
        case .array: json_array_size(pointer)
        default: 0
        }
    }

    func member(_ key: UnsafeBufferPointer<UInt8>) -> JSONNode? {
        key.withMemoryRebound(to: CChar.self) { key in
            json_object_getn(pointer, key.baseAddress, key.count).map(JSONNode.init)
        }
    }

    func element(_ index: Int) -> JSONNode? {
        index < 0 ? nil : json_array_get(pointer, index).map(JSONNode.init)
    }

    /// The members in the order of the text. A key that stood there twice keeps its first place and its last value.
    var members: Members { Members(object: pointer) }

    struct Members: Sequence, IteratorProtocol {
        private let object: UnsafeMutablePointer<json_t>
        private var position: UnsafeMutableRawPointer?

        fileprivate init(object: UnsafeMutablePointer<json_t>) {
            self.object = object
            self.position = json_object_iter(object)
        }

        mutating func next() -> (key: UnsafeBufferPointer<UInt8>, value: JSONNode)? {
            guard let position, let key = json_object_iter_key(position), let value = json_object_iter_value(position)
            else { return nil }
            self.position = json_object_iter_next(object, position)
            return (bytes(key, count: json_object_iter_key_len(position)), JSONNode(value))
        }
    }
}

/// Making a tree. Each of these hands over the new node's one reference to its caller, or is nil where memory is short or
/// the bytes are not what they should be; what is owned is given back in that case.
extension JSONNode {
    fileprivate static let decodingFlags = Int(JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL | JSON_DECODE_ANY)

    static var null: JSONNode? { JSONNode(json_null()) }

    static func bool(_ value: Bool) -> JSONNode? { JSONNode(value ? json_true() : json_false()) }

    static func number(_ value: Double) -> JSONNode? { json_real(value).map(JSONNode.init) }

    /// - Parameter isASCII: otherwise it is checked that the bytes are UTF-8.
    static func string(_ utf8: UnsafeRawBufferPointer, isASCII: Bool) -> JSONNode? {
        let text = utf8.assumingMemoryBound(to: CChar.self)
        let node =
            isASCII ? json_stringn_nocheck(text.baseAddress, text.count) : json_stringn(text.baseAddress, text.count)
        return node.map(JSONNode.init)
    }

    static func makeObject() -> JSONNode? { json_object().map(JSONNode.init) }

    static func makeArray() -> JSONNode? { json_array().map(JSONNode.init) }

    /// What jansson reads from a text.
    static func parsed(_ text: UnsafeRawBufferPointer) -> JSONNode? {
        json_loadb(text.baseAddress, text.count, decodingFlags, nil).map(JSONNode.init)
    }

    /// A key that is there already keeps its place, and gets the new value.
    func setMember(_ key: UnsafeRawBufferPointer, isASCII: Bool, owning value: JSONNode) -> Bool {
        let key = key.assumingMemoryBound(to: CChar.self)
        let set = isASCII ? json_object_setn_new_nocheck : json_object_setn_new
        return set(pointer, key.baseAddress, key.count, value.pointer) == 0
    }

    func append(owning value: JSONNode) -> Bool { json_array_append_new(pointer, value.pointer) == 0 }
}

private func bytes(_ text: UnsafePointer<CChar>, count: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self), count: count)
}
