/// Writes the inside of a JSON string.
enum StringEscaper {
    /// Appends UTF-8 with what needs it escaped. Runs of bytes that need nothing are appended at once.
    static func append(
        _ utf8: UnsafeBufferPointer<UInt8>, escaping: JSONWriter.Escaping, to bytes: inout [UInt8]
    ) {
        var runStart = 0
        var index = endOfSafeWords(utf8, from: 0, escaping)
        while index < utf8.count {
            let length = unsafeLength(utf8, at: index, escaping)
            guard length > 0 else { index += 1; continue }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[runStart..<index]))
            appendEscape(length == 1 ? UInt16(utf8[index]) : 0x2028 + UInt16(utf8[index + 2] & 1), to: &bytes)
            runStart = index + length
            index = endOfSafeWords(utf8, from: runStart, escaping)
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[runStart...]))
    }

    /// Skips eight bytes at a time where none of them needs an escape. Most text goes by here.
    private static func endOfSafeWords(
        _ utf8: UnsafeBufferPointer<UInt8>, from start: Int, _ escaping: JSONWriter.Escaping
    ) -> Int {
        guard escaping == .json, let base = UnsafeRawPointer(utf8.baseAddress) else { return start }
        var index = start
        while index + 8 <= utf8.count {
            let word = base.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let isControl = (word &- 0x2020_2020_2020_2020) & ~word
            let found = isControl | zeroBytes(word ^ 0x2222_2222_2222_2222) | zeroBytes(word ^ 0x5C5C_5C5C_5C5C_5C5C)
            guard found & 0x8080_8080_8080_8080 == 0 else { return index }
            index += 8
        }
        return index
    }

    /// Sets the high bit of each byte that is zero, and perhaps of bytes above it.
    private static func zeroBytes(_ word: UInt64) -> UInt64 { (word &- 0x0101_0101_0101_0101) & ~word }

    /// How many bytes make up a character here that needs an escape; 0 where it needs none.
    private static func unsafeLength(
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

    private static func appendEscape(_ unit: UInt16, to bytes: inout [UInt8]) {
        switch unit {
        case 0x08: bytes.append(contentsOf: "\\b".utf8)
        case 0x09: bytes.append(contentsOf: "\\t".utf8)
        case 0x0A: bytes.append(contentsOf: "\\n".utf8)
        case 0x0C: bytes.append(contentsOf: "\\f".utf8)
        case 0x0D: bytes.append(contentsOf: "\\r".utf8)
        case 0x22: bytes.append(contentsOf: "\\\"".utf8)
        case 0x5C: bytes.append(contentsOf: "\\\\".utf8)
        default:
            let digits = String(unit, radix: 16)
            bytes.append(contentsOf: "\\u".utf8)
            bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count))
            bytes.append(contentsOf: digits.utf8)
        }
    }
}
