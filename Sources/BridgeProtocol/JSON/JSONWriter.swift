/// Appends compact JSON to an array of bytes and sets the commas.
///
/// Printing is ours and not jansson's, because jansson prints the number 3 as `3.0` and 0.1 as `0.10000000000000001`;
/// numbers here read as JavaScript prints them. A value type without threads: use each writer from one place at a time.
public struct JSONWriter {
    /// Which characters of a string are written as escapes.
    public enum Escaping: Sendable {
        /// What RFC 8259 asks for: `"`, `\` and the control characters.
        case json
        /// Also `<`, `>`, `&`, `'`, U+2028 and U+2029, so that the text is safe within HTML and within a script.
        case html
    }

    /// What is written so far. A caller may put bytes in front (such as the headroom a transport asks for) before it
    /// writes, and take the array away after.
    public var bytes: [UInt8]
    let escaping: Escaping
    /// Whether the next value or key follows another one in its container.
    private var needsComma = false

    public init(bytes: [UInt8] = [], escaping: Escaping = .json) {
        self.bytes = bytes
        self.bytes.reserveCapacity(bytes.count + 256)
        self.escaping = escaping
    }

    /// What is written so far, as text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    // MARK: Containers

    /// Writes `{…}`; `body` writes the members.
    public mutating func object<E: Error>(_ body: (inout JSONWriter) throws(E) -> Void) throws(E) {
        open("{")
        try body(&self)
        close("}")
    }

    /// Writes `[…]`; `body` writes the elements.
    public mutating func array<E: Error>(_ body: (inout JSONWriter) throws(E) -> Void) throws(E) {
        open("[")
        try body(&self)
        close("]")
    }

    /// Writes the name of a member. Its value must follow.
    public mutating func key(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes the name of a property of an object literal in JavaScript, where a plain `__proto__` would not make one.
    mutating func javaScriptKey(_ name: String) {
        guard name == "__proto__" else { return key(name) }
        raw("[\"__proto__\"]:".utf8)
        needsComma = false
    }

    /// Writes one member.
    public mutating func member(_ name: String, _ value: some JSONWritable) {
        key(name)
        value.write(to: &self)
    }

    /// Writes one member, or nothing where there is no value.
    public mutating func member(_ name: String, ifPresent value: (some JSONWritable)?) {
        if let value { member(name, value) }
    }

    /// Writes one member that is an object.
    public mutating func member<E: Error>(
        _ name: String, object body: (inout JSONWriter) throws(E) -> Void
    ) throws(E) {
        key(name)
        try object(body)
    }

    /// Ends a line of NDJSON: what follows is a text of its own.
    public mutating func newline() {
        bytes.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    // MARK: Values

    public mutating func null() { scalar("null") }

    public mutating func bool(_ value: Bool) { scalar(value ? "true" : "false") }

    public mutating func integer(_ value: some BinaryInteger) {
        if let value = Int64(exactly: value) {
            separate()
            DecimalDigits.append(value, to: &bytes)
        } else {
            scalar(String(value))
        }
    }

    /// Writes a number as JavaScript prints it, and `null` for NaN and the infinities, as `JSON.stringify` does.
    public mutating func number(_ value: Double) {
        separate()
        value.isFinite ? JavaScriptNumber.append(value, to: &bytes) : bytes.append(contentsOf: "null".utf8)
    }

    public mutating func string(_ value: String) {
        var value = value
        value.withUTF8 { string(utf8: $0) }
    }

    /// Prints a tree straight from its nodes.
    public mutating func json(_ json: JSON) { json.withNode { node($0) } }

    /// Appends a finished JSON text as one value.
    public mutating func raw(_ text: some Sequence<UInt8>) {
        separate()
        bytes.append(contentsOf: text)
    }

    mutating func string(utf8: UnsafeBufferPointer<UInt8>) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        StringEscaper.append(utf8, escaping: escaping, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    // Recursion goes as deep as the parser does, 2,048 levels at most.
    private mutating func node(_ node: JSONNode) {
        switch node.kind {
        case .null: null()
        case .bool: bool(node.bool ?? false)
        case .number: number(node.number ?? 0)
        case .string: if let utf8 = node.utf8 { string(utf8: utf8) }
        case .array: elements(of: node)
        case .object: members(of: node)
        }
    }

    private mutating func elements(of array: JSONNode) {
        open("[")
        for index in 0..<array.count {
            if let element = array.element(index) { node(element) }
        }
        close("]")
    }

    private mutating func members(of object: JSONNode) {
        open("{")
        for (key, value) in object.members {
            string(utf8: key)
            bytes.append(UInt8(ascii: ":"))
            needsComma = false
            node(value)
        }
        close("}")
    }

    // MARK: Commas

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    mutating func open(_ bracket: Unicode.Scalar) {
        separate()
        bytes.append(UInt8(ascii: bracket))
        needsComma = false
    }

    mutating func close(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
        needsComma = true
    }

    private mutating func scalar(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
    }
}
