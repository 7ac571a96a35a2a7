private import Foundation

/// Reads posts and results in exactly the form in which `web/bridge/wire.js` writes them: the same members in the same
/// order, without spaces.
struct EnvelopeReader {
    private let bytes: UnsafeRawBufferPointer
    private var index = 0

    private init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Reads the messages of a frame, which is one message or a batch. Returns nil if any of them has another form, or
    /// if the frame is so large that reading its envelope faster would save nothing. The caller then parses the whole
    /// frame.
    static func messages(of bytes: UnsafeRawBufferPointer) -> [PageMessage]? {
        guard bytes.count <= JSON.largestTextReadTwice else { return nil }
        var reader = EnvelopeReader(bytes)
        var messages: [PageMessage] = []
        let isBatch = reader.skip("[")
        if isBatch { messages.reserveCapacity(8) }
        repeat {
            guard let message = reader.message() else { return nil }
            messages.append(message)
        } while isBatch && reader.skip(",")
        guard !isBatch || reader.skip("]"), reader.index == bytes.count else { return nil }
        return messages
    }

    private mutating func message() -> PageMessage? {
        guard skip("{\"jsonrpc\":\"2.0\",") else { return nil }
        guard skip("\"id\":") else { return post(id: nil) }
        guard let id = wholeNumber(), skip(",") else { return nil }
        guard skip("\"result\":{\"value\":") else { return post(id: RequestID(id)) }
        return scriptValue().map { .result(id: RequestID(id), .success($0)) }
    }

    private mutating func post(id: RequestID?) -> PageMessage? {
        guard skip("\"method\":\"message.post\",\"params\":{\"seq\":"), let seq = wholeNumber(), seq > 0,
            skip(",\"handler\":"), let handler = plainString(), handler.utf8.count <= PageText.handler,
            skip(",\"body\":"), let body = scriptValue()
        else { return nil }
        return .post(PostMessage(seq: seq, handler: handler, body: body), id: id)
    }

    /// Reads a value, the table of its types if there is one, and the closing braces of both objects around it.
    private mutating func scriptValue() -> ScriptValue? {
        guard let value = parsedValue() else { return nil }
        var types: JSON?
        if skip(",\"types\":") {
            guard let table = parsedValue() else { return nil }
            types = table
        }
        guard skip("}}") else { return nil }
        return try? ScriptValue(json: value, types: types)
    }

    private mutating func parsedValue() -> JSON? {
        // Most evaluations return null.
        if skip("null") { return .null }
        var reader = JSONReader(bytes, at: index, levels: PageFrame.deepestNesting - 3)
        guard let root = reader.value() else { return nil }
        let text = UnsafeRawBufferPointer(rebasing: bytes[index..<reader.index])
        index = reader.index
        return JSON(owning: root, printedAs: reader.isAsPrinted ? text : nil)
    }

    // MARK: Bytes

    @inline(__always) private mutating func skip(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard index + count <= bytes.count, let base = bytes.baseAddress,
            memcmp(base + index, text.utf8Start, count) == 0
        else { return false }
        index += count
        return true
    }

    /// Reads a whole number of up to 15 digits, which a double holds exactly.
    private mutating func wholeNumber() -> Int? {
        let start = index
        var value = 0
        while index < bytes.count, index - start < 15, case let digit = Int(bytes[index]) - 48, (0...9).contains(digit)
        {
            value = value * 10 + digit
            index += 1
        }
        return index > start && (bytes[start] != UInt8(ascii: "0") || index == start + 1) ? value : nil
    }

    /// Reads a string of printable ASCII characters without escapes.
    private mutating func plainString() -> String? {
        guard skip("\"") else { return nil }
        let start = index
        while index < bytes.count, (0x20..<0x7F).contains(bytes[index]), bytes[index] != UInt8(ascii: "\\"),
            bytes[index] != UInt8(ascii: "\"")
        {
            index += 1
        }
        let text = bytes[start..<index]
        return skip("\"") ? String(decoding: text, as: UTF8.self) : nil
    }
}
