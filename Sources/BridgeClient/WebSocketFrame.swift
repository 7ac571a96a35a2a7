/// The place of an unmasked WebSocket frame in a buffer (RFC 6455, section 5.2).
package struct WebSocketFrame {
    let opcode: UInt8
    let isFinal: Bool
    package let payload: Range<Int>

    /// - Returns: nil if the frame that begins at `start` is not complete. A frame that announces more bytes than a
    ///   buffer can hold is never complete.
    package init?(_ bytes: UnsafeRawBufferPointer, at start: Int) {
        guard start + 2 <= bytes.count else { return nil }
        let short = bytes[start + 1] & 0x7F
        let begin = start + 2 + (short == 127 ? 8 : short == 126 ? 2 : 0)
        guard begin <= bytes.count else { return nil }
        let length = short < 126 ? UInt64(short) : bytes[(start + 2)..<begin].reduce(0) { $0 << 8 | UInt64($1) }
        guard length <= UInt64(bytes.count - begin) else { return nil }
        opcode = bytes[start] & 0x0F
        isFinal = bytes[start] & 0x80 != 0
        payload = begin..<begin + Int(length)
    }

    /// How many bytes the payload of the frame at the beginning has, as far as its header has arrived; else 0.
    static func announcedLength(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        guard bytes.count >= 10, bytes[1] & 0x7F == 127 else { return 0 }
        return bytes[2..<10].reduce(0) { $0 << 8 | UInt64($1) }
    }
}
