private import CJansson
import Foundation

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
    public static let null = JSON(owning: JSONNode(json_null()))

    /// Takes over the caller's only reference to `root`.
    /// - Parameter text: the bytes with which `JSONWriter` prints `root`, if they are known. They are copied, so that the
    ///   value need not be printed again.
    init(owning root: JSONNode, printedAs text: UnsafeRawBufferPointer? = nil) {
        self.init(tree: JSONTree(owning: root, printedAs: text))
    }

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

    /// Calls `body` with the bytes with which this value is printed, and returns true; returns false if they are not known.
    func withPrintedText(_ body: (UnsafeRawBufferPointer) -> Void) -> Bool {
        withExtendedLifetime(tree) { node == tree.root && tree.withPrintedText(body) }
    }

    /// Another node of the same tree.
    func sibling(_ node: JSONNode) -> JSON { JSON(node: node, tree: tree) }

    /// Parses one JSON text, which can be any value.
    ///
    /// All numbers are doubles, as in JavaScript, except in ids. A number too large for a double becomes ±1.7976931348623157e308.
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
        return JSON(owning: JSONNode(root))
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

/// The owner of a jansson tree, which holds one reference to the root; and of the tree's text, if it is known to be as
/// `JSONWriter` prints it.
///
/// `@unchecked Sendable`: nothing changes the tree, its reference counts or the text after the parse, and ARC runs
/// `deinit` once.
private final class JSONTree: @unchecked Sendable {
    let root: JSONNode
    /// Allocated here and freed in `deinit`; empty if the text is not known.
    private let text: UnsafeMutableRawBufferPointer

    /// - Parameter text: is copied.
    init(owning root: JSONNode, printedAs text: UnsafeRawBufferPointer?) {
        self.root = root
        if let text {
            self.text = .allocate(byteCount: text.count, alignment: 1)
            self.text.copyMemory(from: text)
        } else {
            self.text = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        }
    }

    func withPrintedText(_ body: (UnsafeRawBufferPointer) -> Void) -> Bool {
        guard !text.isEmpty else { return false }
        body(UnsafeRawBufferPointer(text))
        return true
    }

    deinit {
        root.release()
        text.deallocate()
    }
}

/// An unowned node, for traversals without reference counting. It is valid as long as a ``JSON`` of its tree exists.
///
/// `@unchecked Sendable`: it points into a tree that never changes.
struct JSONNode: @unchecked Sendable, Equatable {
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

    /// The number, if the reader kept it as an integer because a double may round it.
    var largeInteger: Int? {
        bridged_json_typeof(pointer) == JSON_INTEGER ? Int(json_integer_value(pointer)) : nil
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

    /// An integer that a double may round. It counts as the rounded number, except for ``JSON/exactInteger``.
    static func largeInteger(_ value: Int) -> JSONNode? { json_integer(json_int_t(value)).map(JSONNode.init) }

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

extension JSON {
    /// Parses one JSON text. See ``parse(_:)-(UnsafeRawBufferPointer)``.
    public static func parse(_ text: some StringProtocol, _ limits: Limits = Limits()) throws(JSONParseError) -> JSON {
        try parse(Array(text.utf8), limits)
    }

    /// Parses the bytes of one JSON text. See ``parse(_:_:)-(UnsafeRawBufferPointer,_)``.
    public static func parse(_ bytes: [UInt8], _ limits: Limits = Limits()) throws(JSONParseError) -> JSON {
        try bytes.withUnsafeBytes { bytes in
            Result { () throws(JSONParseError) in try parse(bytes, limits) }
        }.get()
    }

    public var kind: Kind { withNode { $0.kind } }
    public var isNull: Bool { kind == .null }
    public var bool: Bool? { withNode { $0.bool } }
    public var number: Double? { withNode { $0.number } }
    /// The number, if it is whole and small enough for an `Int`.
    public var wholeNumber: Int? { number.flatMap(Int.init(exactly:)) }
    /// The number, if it is whole and known exactly. Above 2^53 that is one of 64 bits, written with digits alone.
    var exactInteger: Int? {
        withNode { node in
            if let integer = node.largeInteger { return integer }
            return node.number.flatMap { abs($0) < 0x1p53 ? Int(exactly: $0) : nil }
        }
    }
    public var string: String? { withNode { $0.utf8.map { String(decoding: $0, as: UTF8.self) } } }

    /// The number of members of an object or elements of an array. 0 for other kinds.
    public var count: Int { withNode { $0.count } }

    /// The member with this name, or `nil` if there is none or this is not an object.
    public subscript(key: String) -> JSON? {
        var key = key
        return key.withUTF8 { key in withNode { $0.member(key).map(sibling) } }
    }

    /// The element at this index, or `nil` if there is none or this is not an array.
    public subscript(index: Int) -> JSON? { withNode { $0.element(index).map(sibling) } }

    /// Whether this is exactly the string `text`. It is cheaper than ``string``, because it makes no `String`.
    public func stringEquals(_ text: StaticString) -> Bool {
        guard text.hasPointerRepresentation else { return false }
        let expected = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        return withNode { $0.utf8?.elementsEqual(expected) ?? false }
    }

    /// Calls `body` for each member of an object, in the order of the text. Does nothing for another kind.
    public func forEachMember<E: Error>(_ body: (String, JSON) throws(E) -> Void) throws(E) {
        try withNode { node throws(E) in
            for (key, value) in node.members {
                try body(String(decoding: key, as: UTF8.self), sibling(value))
            }
        }
    }

    /// Calls `body` for each element of an array, in order. Does nothing for another kind.
    public func forEachElement<E: Error>(_ body: (JSON) throws(E) -> Void) throws(E) {
        guard kind == .array else { return }
        for index in 0..<count {
            if let element = self[index] { try body(element) }
        }
    }

    /// The elements of an array. Empty for another kind.
    public var elements: [JSON] {
        var all: [JSON] = []
        forEachElement { all.append($0) }
        return all
    }

    /// Whether any object in this value, at any depth, has a member that satisfies `predicate`.
    ///
    /// - Parameter predicate: receives the key's UTF-8, which is valid during the call, and the kind of the value.
    package func containsMember(where predicate: (UnsafeBufferPointer<UInt8>, Kind) -> Bool) -> Bool {
        withNode { $0.containsMember(where: predicate) }
    }

    /// Whether this value is a text that satisfies `predicate`, or contains one at any depth.
    ///
    /// - Parameter predicate: receives the text's UTF-8, which is valid during the call.
    package func containsText(where predicate: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
        withNode { $0.containsText(where: predicate) }
    }

    /// The value at an RFC 6901 JSON Pointer, or `nil` if there is none.
    public func resolve(pointer: JSONPointer) -> JSON? {
        pointer.tokens.reduce(self) { place, token in place?.child(token) }
    }

    /// The member or the element that one token of a pointer names.
    func child(_ token: String) -> JSON? {
        switch kind {
        case .object: self[token]
        case .array: JSONPointer.index(token).flatMap { self[$0] }
        default: nil
        }
    }
}

extension JSONNode {
    fileprivate func containsMember(where predicate: (UnsafeBufferPointer<UInt8>, JSON.Kind) -> Bool) -> Bool {
        switch kind {
        case .object:
            members.contains { key, value in predicate(key, value.kind) || value.containsMember(where: predicate) }
        case .array: (0..<count).contains { element($0)?.containsMember(where: predicate) ?? false }
        default: false
        }
    }

    fileprivate func containsText(where predicate: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
        switch kind {
        case .string: utf8.map(predicate) ?? false
        case .object: members.contains { _, value in value.containsText(where: predicate) }
        case .array: (0..<count).contains { element($0)?.containsText(where: predicate) ?? false }
        default: false
        }
    }
}

extension JSON {
    /// Builds a document from a value. NaN and the infinities become null, as in the value's text.
    public init(_ value: JSONValue) {
        guard let node = JSONNode.make(value) ?? .null else { self = .null; return }
        self.init(owning: node)
    }
}

extension JSONNode {
    /// Returns a node that the caller owns, or `nil` if memory is short or the number is not finite.
    fileprivate static func make(_ value: JSONValue) -> JSONNode? {
        switch value {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .number(let value): return .number(value)
        case .string(var text):
            return text.withUTF8 { .string(UnsafeRawBufferPointer($0), isUTF8: false) }
        case .array(let elements):
            let array = makeArray()
            for element in elements {
                if let node = make(element) ?? .null { _ = array?.append(owning: node) }
            }
            return array
        case .object(let members):
            let object = makeObject()
            for member in members {
                guard let node = make(member.value) ?? .null else { continue }
                var key = member.key
                _ = key.withUTF8 { object?.setMember(UnsafeRawBufferPointer($0), isUTF8: false, owning: node) }
            }
            return object
        }
    }
}

extension JSON {
    /// The deepest nesting that can be read: jansson's own limit.
    public static let deepestNesting = 2_048

    /// The limits within which a text must be to be parsed at all.
    public struct Limits: Sendable, Equatable {
        /// How deeply arrays and objects may be nested.
        public var nesting: Int
        /// How many values there may be: the number of commas and opening brackets outside of strings.
        ///
        /// jansson's tree of a text like `[{},{},{}]` takes ninety times the memory of the text.
        public var values: Int

        /// The limits of a text that a page sends as a string, and that is parsed on the main thread.
        public static let untrusted = Limits(values: 120_000)

        public init(nesting: Int = JSON.deepestNesting, values: Int = .max) {
            self.nesting = nesting
            self.values = values
        }
    }

    /// Parses one JSON text as `parse(_:)` does, if it is within the limits.
    public static func parse(_ bytes: UnsafeRawBufferPointer, _ limits: Limits) throws(JSONParseError) -> JSON {
        try check(bytes, limits)
        return try parse(bytes)
    }

    /// Checks that a text is within the limits. A limit that the text cannot exceed, because it is too short or because
    /// the parser enforces it, costs nothing.
    ///
    /// - Throws: ``JSONParseError`` with the place of the first byte beyond a limit.
    public static func check(_ bytes: UnsafeRawBufferPointer, _ limits: Limits) throws(JSONParseError) {
        guard limits.nesting < deepestNesting || bytes.count > limits.values else { return }
        var (index, depth, values) = (0, 0, 0)
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\""):
                index = endOfString(from: index, bytes)
                continue
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                (depth, values) = (depth + 1, values + 1)
                if depth > limits.nesting {
                    throw .beyond("more than \(limits.nesting) levels of nesting", .tooDeep, offset: index)
                }
            case UInt8(ascii: ","): values += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: continue
            }
            if values > limits.values {
                throw .beyond("more than \(limits.values) values", .tooManyValues, offset: index)
            }
        }
    }

    /// Looks at each byte at most twice, and with `memchr`: strings can be long.
    /// - Parameter start: the place behind the quotation mark with which the string begins.
    /// - Returns: the place behind the one with which it ends; the end of the text if there is none.
    private static func endOfString(from start: Int, _ bytes: UnsafeRawBufferPointer) -> Int {
        var (index, mark) = (start, -1)
        while index < bytes.count {
            if mark < index {
                guard let next = first(UInt8(ascii: "\""), in: index..<bytes.count, of: bytes) else { break }
                mark = next
            }
            // A backslash escapes what stands behind it, which may be the mark.
            guard let backslash = first(UInt8(ascii: "\\"), in: index..<mark, of: bytes) else { return mark + 1 }
            index = backslash + 2
        }
        return bytes.count
    }

    private static func first(_ byte: UInt8, in range: Range<Int>, of bytes: UnsafeRawBufferPointer) -> Int? {
        guard let base = bytes.baseAddress, !range.isEmpty,
            let found = memchr(base + range.lowerBound, Int32(byte), range.count)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }
}

extension JSONParseError {
    fileprivate static func beyond(_ message: String, _ cause: Cause, offset: Int) -> JSONParseError {
        JSONParseError(message: message, line: 1, column: offset, offset: offset, cause: cause)
    }
}

extension JSON {
    /// About how many bytes of memory the value takes: up to 40 times its text.
    package var memory: Int { withNode { $0.memory } }
}

extension JSONNode {
    /// What jansson 2.14 allocates on a machine of 64 bits, rounded up.
    fileprivate var memory: Int {
        switch kind {
        case .null, .bool: 0
        case .number: 32
        case .string: 64 + (utf8?.count ?? 0)
        case .array: (0..<count).reduce(128) { $0 + 8 + (element($1)?.memory ?? 0) }
        case .object: members.reduce(256) { $0 + 96 + $1.key.count + $1.value.memory }
        }
    }
}

extension JSON {
    /// The value's kind and contents, short enough for an error message: `number 3`, `object with keys a, b`.
    public var summary: String {
        switch kind {
        case .null: "null"
        case .bool: "boolean \(self)"
        case .number: "number \(self)"
        case .string: "string \(quoted(start))"
        case .array: "array of \(count)"
        case .object: count == 0 ? "object without keys" : "object with keys \(keyList)"
        }
    }

    /// The first characters of a string, which may be megabytes long.
    private var start: String {
        withNode { node in node.utf8.map { String(decoding: $0.prefix(200), as: UTF8.self) } ?? "" }
    }

    private var keyList: String {
        withNode { node in
            let names = node.members.prefix(8).map { key, _ in
                String(quoted(String(decoding: key.prefix(200), as: UTF8.self), limit: 20).dropFirst().dropLast())
            }
            return names.joined(separator: ", ") + (node.count > names.count ? ", …" : "")
        }
    }
}

extension JSON? {
    /// ``JSON/summary``, or `nothing` for `nil`.
    var summary: String { self?.summary ?? "nothing" }
}

/// The text as a JSON string, cut after `limit` characters. In a message, this escapes control characters.
public func quoted(_ text: String, limit: Int = 40) -> String {
    var writer = JSONWriter()
    writer.string(shortened(text, to: limit))
    return writer.text
}

/// The text, cut after `limit` Unicode scalars. A text that was cut ends with `…`.
public func shortened(_ text: String, to limit: Int) -> String {
    guard limit < .max else { return text }
    let start = text.unicodeScalars.prefix(limit + 1)
    return start.count > limit ? String(start.dropLast()) + "…" : text
}

extension JSON {
    /// The version of jansson that this process has loaded.
    package static var libraryVersion: String { jansson_version_str().map { String(cString: $0) } ?? "unknown" }

    /// Whether the trees of this jansson can have a key that contains NUL.
    package static let allowsNULInKeys = bridged_json_allows_nul_in_keys() != 0
}
