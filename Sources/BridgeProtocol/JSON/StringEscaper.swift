/// Writes the contents of a JSON string.
enum StringEscaper {
    /// 32 bytes of text, which are checked at once. Words are combined, because Swift 6.3 compares vectors of bytes one
    /// by one.
    typealias Block = SIMD4<UInt64>

    /// Appends UTF-8 text with escapes. It checks and copies many bytes at a time, and most text needs no escape.
    static func append(
        _ utf8: UnsafeBufferPointer<UInt8>, escaping: JSONWriter.Escaping, to bytes: inout ByteBuffer
    ) {
        guard let start = utf8.baseAddress else { return }
        var index = 0
        while index < utf8.count {
            bytes.append(upTo: utf8.count - index) { target in
                let count = copySafeBytes(start + index, utf8.count - index, to: target, escaping)
                index += count
                return count
            }
            guard index < utf8.count else { return }
            let length = unsafeLength(utf8, at: index, escaping)
            appendEscape(length == 1 ? UInt16(utf8[index]) : 0x2028 + UInt16(utf8[index + 2] & 1), to: &bytes)
            index += length
        }
    }

    /// Copies bytes up to the first character that needs an escape, and returns their number.
    @inline(__always) static func copySafeBytes(
        _ source: UnsafePointer<UInt8>, _ count: Int, to target: UnsafeMutablePointer<UInt8>,
        _ escaping: JSONWriter.Escaping
    ) -> Int {
        var index = escaping == .json ? copySafeWords(source, count, to: target) : 0
        let text = UnsafeBufferPointer(start: source, count: count)
        while index < count, unsafeLength(text, at: index, escaping) == 0 {
            target[index] = source[index]
            index += 1
        }
        return index
    }

    /// Copies blocks and then words of eight bytes until one of them has a character that JSON must escape, or fewer than four bytes are
    /// left. The last word overlaps the one before it, and four to seven bytes are two words of four.
    @inline(__always) private static func copySafeWords(
        _ source: UnsafePointer<UInt8>, _ count: Int, to target: UnsafeMutablePointer<UInt8>
    ) -> Int {
        let (source, target) = (UnsafeRawPointer(source), UnsafeMutableRawPointer(target))
        var index = 0
        while index + 32 <= count {
            let block = source.loadUnaligned(fromByteOffset: index, as: Block.self)
            guard !hasMarks(in: block) else { break }
            target.storeBytes(of: block, toByteOffset: index, as: Block.self)
            index += 32
        }
        while index + 8 <= count {
            guard copySafeWord(source, at: index, to: target) else { return index }
            index += 8
        }
        guard index < count else { return count }
        if count >= 8 { return copySafeWord(source, at: count - 8, to: target) ? count : index }
        guard count >= 4 else { return 0 }
        let first = source.loadUnaligned(as: UInt32.self)
        let last = source.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)
        guard marks(in: UInt64(first) << 32 | UInt64(last)) == 0 else { return 0 }
        target.storeBytes(of: first, as: UInt32.self)
        target.storeBytes(of: last, toByteOffset: count - 4, as: UInt32.self)
        return count
    }

    @inline(__always) private static func copySafeWord(
        _ source: UnsafeRawPointer, at index: Int, to target: UnsafeMutableRawPointer
    ) -> Bool {
        let word = source.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        guard marks(in: word) == 0 else { return false }
        target.storeBytes(of: word, toByteOffset: index, as: UInt64.self)
        return true
    }

    /// Finds the first quote, backslash or control character in eight bytes of text. The lowest bit that is set in the
    /// result is the high bit of its byte.
    @inline(__always) static func marks(in word: UInt64) -> UInt64 {
        let controls = (word &- 0x2020_2020_2020_2020) & ~word
        let found = controls | zeroBytes(word ^ 0x2222_2222_2222_2222) | zeroBytes(word ^ 0x5C5C_5C5C_5C5C_5C5C)
        return found & 0x8080_8080_8080_8080
    }

    /// Whether a block has a quote, a backslash or a control character.
    @inline(__always) static func hasMarks(in block: Block) -> Bool {
        let (quotes, backslashes) = (
            block ^ Block(repeating: 0x2222_2222_2222_2222), block ^ Block(repeating: 0x5C5C_5C5C_5C5C_5C5C)
        )
        let controls = (block &- Block(repeating: 0x2020_2020_2020_2020)) & ~block
        let found = controls | zeroBytes(quotes) | zeroBytes(backslashes)
        return highBits(of: found) != 0
    }

    /// The high bits of the bytes in all words of a block, combined. They are 0 if the block is ASCII.
    @inline(__always) static func highBits(of block: Block) -> UInt64 {
        let half = block.lowHalf | block.highHalf
        return (half.x | half.y) & 0x8080_8080_8080_8080
    }

    @inline(__always) private static func zeroBytes(_ block: Block) -> Block {
        (block &- Block(repeating: 0x0101_0101_0101_0101)) & ~block
    }

    /// Whether the byte is a quote, a backslash or a control character.
    @inline(__always) static func isMark(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Sets the high bit of each byte that is zero, and possibly of bytes above the first one.
    @inline(__always) private static func zeroBytes(_ word: UInt64) -> UInt64 {
        (word &- 0x0101_0101_0101_0101) & ~word
    }

    /// The length of the character at `index` if it needs an escape, otherwise 0.
    @inline(__always) private static func unsafeLength(
        _ utf8: UnsafeBufferPointer<UInt8>, at index: Int, _ escaping: JSONWriter.Escaping
    ) -> Int {
        switch utf8[index] {
        case 0..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"): 1
        case _ where escaping == .json: 0
        case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"), UInt8(ascii: "'"): 1
        case 0xE2 where index + 2 < utf8.count && utf8[index + 1] == 0x80 && utf8[index + 2] & 0xFE == 0xA8: 3
        default: 0
        }
    }

    private static func appendEscape(_ unit: UInt16, to bytes: inout ByteBuffer) {
        switch unit {
        case 0x08: bytes.append("\\b")
        case 0x09: bytes.append("\\t")
        case 0x0A: bytes.append("\\n")
        case 0x0C: bytes.append("\\f")
        case 0x0D: bytes.append("\\r")
        case 0x22: bytes.append("\\\"")
        case 0x5C: bytes.append("\\\\")
        default:
            bytes.append("\\u")
            for shift in [12, 8, 4, 0] { bytes.append(hexDigit(unit >> shift & 0xF)) }
        }
    }

    private static func hexDigit(_ value: UInt16) -> UInt8 {
        UInt8(truncatingIfNeeded: value) + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
    }
}
