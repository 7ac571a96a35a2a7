/// Writes compact JSON to a buffer and adds the commas.
///
/// It prints numbers as JavaScript does. jansson's own writer is not used, because it prints the number 3 as `3.0` and
/// 0.1 as `0.10000000000000001`.
///
/// The generic methods are inlinable, so that other modules compile them for the types that they write: every record of
/// the traffic passes through them.
public struct JSONWriter: ~Copyable, Sendable {
    /// The set of characters that strings escape.
    public enum Escaping: Sendable {
        /// The characters that RFC 8259 requires to be escaped: `"`, `\` and the control characters.
        case json
        /// Also `<`, `>`, `&`, `'`, U+2028 and U+2029, so that the text is safe within HTML and within a script.
        case html
    }

    /// The text written so far. A caller may put bytes in front of it, such as the headroom that a transport needs, and
    /// take the buffer when the text is complete.
    public var buffer: ByteBuffer
    let escaping: Escaping
    /// Whether the next value or key needs a comma before it.
    @usableFromInline var needsComma = false

    public init(escaping: Escaping = .json) {
        self.init(buffer: ByteBuffer(), escaping: escaping)
    }

    public init(buffer: consuming ByteBuffer, escaping: Escaping = .json) {
        self.buffer = buffer
        self.escaping = escaping
    }

    /// A copy of the bytes written so far.
    public var bytes: [UInt8] { buffer.array }

    /// The text written so far.
    public var text: String { buffer.withBytes { String(decoding: $0, as: UTF8.self) } }

    /// Removes the text and keeps the memory.
    public mutating func reset() {
        buffer.removeAll()
        needsComma = false
    }

    // MARK: Containers

    /// Writes `{…}`; `body` writes the members.
    @inlinable public mutating func object<E: Error>(_ body: (inout JSONWriter) throws(E) -> Void) throws(E) {
        open("{")
        try body(&self)
        close("}")
    }

    /// Writes `[…]`; `body` writes the elements.
    @inlinable public mutating func array<E: Error>(_ body: (inout JSONWriter) throws(E) -> Void) throws(E) {
        open("[")
        try body(&self)
        close("]")
    }

    /// Writes the name of a member, which must not need escapes. Its value must follow.
    @inlinable @inline(__always) public mutating func key(_ name: StaticString) {
        let count = name.utf8CodeUnitCount
        let comma = needsComma ? 1 : 0
        buffer.append(upTo: count + 4) { target in
            target[0] = UInt8(ascii: ",")
            target[comma] = UInt8(ascii: "\"")
            (target + comma + 1).update(from: name.utf8Start, count: count)
            target[comma + 1 + count] = UInt8(ascii: "\"")
            target[comma + 2 + count] = UInt8(ascii: ":")
            return comma + count + 3
        }
        needsComma = false
    }

    /// Writes the name of a member, with escapes if it needs them. Its value must follow.
    public mutating func key(named name: String) {
        string(name)
        buffer.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes the name of a property in a JavaScript object literal. `__proto__` is written as a computed name, because
    /// a plain one would set the prototype.
    mutating func javaScriptKey(_ name: String) {
        guard name == "__proto__" else { return key(named: name) }
        raw("[\"__proto__\"]:".utf8)
        needsComma = false
    }

    /// Writes one member. Its name must not need escapes.
    @inlinable @inline(__always) public mutating func member(_ name: StaticString, _ value: some JSONWritable) {
        key(name)
        value.write(to: &self)
    }

    /// Writes a member that is complete as it stands, such as `"kind":"page"`.
    @inlinable @inline(__always) public mutating func member(complete text: StaticString) {
        let comma = needsComma ? 1 : 0
        let count = text.utf8CodeUnitCount
        buffer.append(upTo: count + 1) { target in
            target[0] = UInt8(ascii: ",")
            (target + comma).update(from: text.utf8Start, count: count)
            return comma + count
        }
        needsComma = true
    }

    /// Writes members that are complete as they stand, such as `"page":"p7","url":"…"`. There is at least one.
    public mutating func members(complete text: [UInt8]) {
        separate()
        buffer.append(text)
    }

    /// Writes one member, or nothing for `nil`. Its name must not need escapes.
    @inlinable @inline(__always) public mutating func member(
        _ name: StaticString, ifPresent value: (some JSONWritable)?
    ) {
        if let value { member(name, value) }
    }

    /// Writes one member that is an object. Its name must not need escapes.
    @inlinable @inline(__always) public mutating func member<E: Error>(
        _ name: StaticString, object body: (inout JSONWriter) throws(E) -> Void
    ) throws(E) {
        key(name)
        try object(body)
    }

    /// Writes one member, with escapes in its name if it needs them.
    @inlinable public mutating func member(named name: String, _ value: some JSONWritable) {
        key(named: name)
        value.write(to: &self)
    }

    /// Writes one member that is an object, with escapes in its name if it needs them.
    @inlinable public mutating func member<E: Error>(
        named name: String, object body: (inout JSONWriter) throws(E) -> Void
    ) throws(E) {
        key(named: name)
        try object(body)
    }

    /// Ends a line of NDJSON. A new JSON text follows.
    public mutating func newline() {
        buffer.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    // MARK: Values

    public mutating func null() {
        separate()
        buffer.append("null")
    }

    public mutating func bool(_ value: Bool) {
        separate()
        value ? buffer.append("true") : buffer.append("false")
    }

    public mutating func integer(_ value: some BinaryInteger) {
        separate()
        if let value = Int64(exactly: value) {
            DecimalDigits.append(value, to: &buffer)
        } else {
            buffer.append(contentsOf: String(value).utf8)
        }
    }

    /// Writes a number as JavaScript prints it, and `null` for NaN and the infinities, as `JSON.stringify` does.
    public mutating func number(_ value: Double) {
        separate()
        value.isFinite ? JavaScriptNumber.append(value, to: &buffer) : buffer.append("null")
    }

    /// Writes a number of thousandths, such as 1500 as `1.5`. This is faster than finding the shortest digits of a
    /// `Double`.
    mutating func thousandths(_ value: Int64) {
        separate()
        if value < 0 { buffer.append(UInt8(ascii: "-")) }
        let (whole, fraction) = value.magnitude.quotientAndRemainder(dividingBy: 1_000)
        DecimalDigits.append(Int64(whole), to: &buffer)
        guard fraction > 0 else { return }
        buffer.append(UInt8(ascii: "."))
        switch (fraction % 100, fraction % 10) {
        case (0, _): DecimalDigits.append(fraction / 100, digits: 1, to: &buffer)
        case (_, 0): DecimalDigits.append(fraction / 10, digits: 2, to: &buffer)
        default: DecimalDigits.append(fraction, digits: 3, to: &buffer)
        }
    }

    public mutating func string(_ value: String) {
        // Swift's own strings lend their bytes; others are copied first.
        let isWritten: Void? = value.utf8.withContiguousStorageIfAvailable { string(utf8: $0) }
        guard isWritten == nil else { return }
        var copy = value
        copy.withUTF8 { string(utf8: $0) }
    }

    /// Writes a parsed value.
    public mutating func json(_ json: JSON) {
        if escaping == .json, json.withPrintedText({ raw($0) }) { return }
        json.withNode { node($0) }
    }

    /// Appends a complete JSON text as one value.
    public mutating func raw(_ text: some Sequence<UInt8>) {
        separate()
        buffer.append(contentsOf: text)
    }

    /// Writes a string whose contents `body` appends. They must not need escapes.
    @inline(__always) mutating func plainString(_ body: (inout ByteBuffer) -> Void) {
        separate()
        buffer.append(UInt8(ascii: "\""))
        body(&buffer)
        buffer.append(UInt8(ascii: "\""))
    }

    /// Most strings need no escape, and are copied with their quotes at once.
    mutating func string(utf8: UnsafeBufferPointer<UInt8>) {
        let comma = needsComma ? 1 : 0
        var safe = 0
        buffer.append(upTo: utf8.count + 3) { [escaping] target in
            target[0] = UInt8(ascii: ",")
            target[comma] = UInt8(ascii: "\"")
            let text = target + comma + 1
            if let source = utf8.baseAddress {
                safe = StringEscaper.copySafeBytes(source, utf8.count, to: text, escaping)
            }
            text[safe] = UInt8(ascii: "\"")
            return comma + 1 + safe + (safe == utf8.count ? 1 : 0)
        }
        needsComma = true
        guard safe < utf8.count else { return }
        StringEscaper.append(UnsafeBufferPointer(rebasing: utf8[safe...]), escaping: escaping, to: &buffer)
        buffer.append(UInt8(ascii: "\""))
    }

    // The recursion is at most as deep as the parser's limit of 2,048 levels.
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
            buffer.append(UInt8(ascii: ":"))
            needsComma = false
            node(value)
        }
        close("}")
    }

    // MARK: Commas

    @inlinable @inline(__always) mutating func separate() {
        if needsComma { buffer.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    /// Begins an object or an array. ``object(_:)`` and ``array(_:)`` also end it.
    @inlinable public mutating func open(_ bracket: Unicode.Scalar) {
        separate()
        buffer.append(UInt8(ascii: bracket))
        needsComma = false
    }

    /// Ends an object or an array.
    @inlinable public mutating func close(_ bracket: Unicode.Scalar) {
        buffer.append(UInt8(ascii: bracket))
        needsComma = true
    }
}
