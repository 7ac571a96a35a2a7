private import CJansson

/// One value in a parsed JSON document. It retains the whole document.
///
/// The document never changes after the parse, so any number of threads may read it at once. Reading a value as another
/// kind than its own returns `nil`, and no input traps. ``JSONValue`` is the type for values that are built or changed.
///
/// This is the only file that calls jansson. The rest of this folder uses `JSONNode`, and other folders use neither.
public struct JSON: Sendable {
    /// The kinds of JSON value (RFC 8259, section 3).
    public enum Kind: String, Sendable {
        case null, bool, number, string, array, object
    }

    private let node: JSONNode
    private let tree: JSONTree

    /// The value `null`.
    public static let null = JSON(tree: JSONTree(owning: JSONNode(json_null())))

    /// Takes over the caller's only reference to `root`.
    init(owning root: JSONNode) { self.init(tree: JSONTree(owning: root)) }

    private init(tree: JSONTree) {
        self.node = tree.root
        self.tree = tree
    }

    private init(node: JSONNode, tree: JSONTree) {
        self.node = node
        self.tree = tree
    }

    /// A function that says whether anything retains the document. Tests check with it that nothing does.
    package var isKept: @Sendable () -> Bool { { [weak tree] in tree != nil } }

    /// Calls `body` with the node and retains the tree until `body` returns, which ARC alone would not guarantee.
    func withNode<R, E: Error>(_ body: (JSONNode) throws(E) -> R) throws(E) -> R {
        try withExtendedLifetime(tree) { () throws(E) in try body(node) }
    }

    /// Another node of the same tree.
    func sibling(_ node: JSONNode) -> JSON { JSON(node: node, tree: tree) }

    /// Parses one JSON text, which can be any value.
    ///
    /// All numbers are doubles, as in JavaScript. A number too large for a double becomes ±1.7976931348623157e308.
    ///
    /// Parsing and printing recurse as deep as the text nests, so a thread that calls them needs a stack of 2 MiB.
    ///
    /// - Parameter bytes: UTF-8, without a byte order mark. The document does not refer to it after the call.
    /// - Throws: ``JSONParseError``, also for two things that JSON allows and jansson does not: a lone surrogate escape in
    ///   a string, and more than 2,048 levels of nesting.
    public static func parse(_ bytes: UnsafeRawBufferPointer) throws(JSONParseError) -> JSON {
        try parse(bytes, levels: deepestNesting)
    }

    /// - Parameter levels: how deeply the text may nest.
    static func parse(_ bytes: UnsafeRawBufferPointer, levels: Int) throws(JSONParseError) -> JSON {
        var reader = JSONReader(bytes, levels: levels)
        if let root = reader.root() { return JSON(owning: root) }
        guard bytes.count <= largestTextReadTwice, reader.cause != .tooDeep else { throw reader.error }
        do throws(JSONParseError) {
            _ = try decode(bytes)
            throw reader.error
        } catch {
            // The reader accepts these two, so it has found another mistake.
            throw [.numberTooLarge, .nulInKey].contains(error.cause) ? reader.error : error
        }
    }

    /// The size of the largest text that is read twice, in bytes.
    static let largestTextReadTwice = 256 << 10

    private static let decodingFlags = Int(JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL | JSON_DECODE_ANY)

    /// Parses a text with jansson, which rejects numbers that are too large, and NUL in a key. Tests compare ``parse(_:)``
    /// with it.
    package static func decode(_ bytes: UnsafeRawBufferPointer) throws(JSONParseError) -> JSON {
        var error = json_error_t()
        guard let start = bytes.baseAddress else { throw .emptyText }
        guard let root = json_loadb(start, bytes.count, decodingFlags, &error) else {
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

/// The owner of a jansson tree, which holds one reference to the root.
///
/// `@unchecked Sendable`: nothing changes the tree or its reference counts after the parse, and ARC runs `deinit` once.
private final class JSONTree: @unchecked Sendable {
    let root: JSONNode

    init(owning root: JSONNode) { self.root = root }

    deinit { root.release() }
}

/// An unowned node, for traversals without reference counting. It is valid as long as a ``JSON`` of its tree exists.
///
/// `@unchecked Sendable`: it points into a tree that never changes.
struct JSONNode: @unchecked Sendable {
    private let pointer: UnsafeMutablePointer<json_t>

    fileprivate init(_ pointer: UnsafeMutablePointer<json_t>) { self.pointer = pointer }

    /// Releases a reference.
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

    /// The string's UTF-8, which is valid as long as the tree lives.
    var utf8: UnsafeBufferPointer<UInt8>? {
        guard let text = json_string_value(pointer) else { return nil }
        return bytes(text, count: json_string_length(pointer))
    }

    /// The number of members of an object or elements of an array. 0 for other kinds.
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

    /// The members in the order of the text. A key that occurs twice keeps its first place and its last value.
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

/// Functions that build a tree. The caller owns the only reference to a new node. They return `nil` or false if memory
/// is short or the bytes are invalid; a node passed as `owning` is released in that case.
extension JSONNode {
    static var null: JSONNode? { JSONNode(json_null()) }

    static func bool(_ value: Bool) -> JSONNode? { JSONNode(value ? json_true() : json_false()) }

    static func number(_ value: Double) -> JSONNode? { json_real(value).map(JSONNode.init) }

    /// - Parameter isUTF8: whether the bytes are known to be UTF-8. If not, they are checked.
    static func string(_ utf8: UnsafeRawBufferPointer, isUTF8: Bool) -> JSONNode? {
        let text = utf8.assumingMemoryBound(to: CChar.self)
        let node =
            isUTF8 ? json_stringn_nocheck(text.baseAddress, text.count) : json_stringn(text.baseAddress, text.count)
        return node.map(JSONNode.init)
    }

    static func makeObject() -> JSONNode? { json_object().map(JSONNode.init) }

    static func makeArray() -> JSONNode? { json_array().map(JSONNode.init) }

    /// Adds a member. A key that is there already keeps its place and gets the new value.
    func setMember(_ key: UnsafeRawBufferPointer, isUTF8: Bool, owning value: JSONNode) -> Bool {
        let key = key.assumingMemoryBound(to: CChar.self)
        let set = isUTF8 ? json_object_setn_new_nocheck : json_object_setn_new
        return set(pointer, key.baseAddress, key.count, value.pointer) == 0
    }

    func append(owning value: JSONNode) -> Bool { json_array_append_new(pointer, value.pointer) == 0 }
}

private func bytes(_ text: UnsafePointer<CChar>, count: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self), count: count)
}
