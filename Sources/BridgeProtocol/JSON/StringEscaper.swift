/// Writes the inside of a JSON string.
enum StringEscaper {
    /// Appends UTF-8 with what needs it escaped. Runs of bytes that need nothing are appended at once.
    static func append(
        _ utf8: UnsafeBufferPointer<UInt8>, escaping: JSONWriter.Escaping, to bytes: inout [UInt8]
    ) {
        let html = escaping == .html
        var runStart = 0
        var index = 0
        while index < utf8.count {
            let byte = utf8[index]
            let length: Int
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                length = 1
            } else if html {
                length = unsafeLength(utf8, at: index)
            } else {
                length = 0
            }
            guard length > 0 else { index += 1; continue }
            bytes.append(contentsOf: utf8[runStart..<index])
            appendEscape(length == 1 ? UInt16(byte) : 0x2028 + UInt16(utf8[index + 2] & 1), to: &bytes)
            index += length
            runStart = index
        }
        bytes.append(contentsOf: utf8[runStart...])
    }

    /// How many bytes make up a character here that is unsafe in HTML or in a script; 0 where it is safe.
    private static func unsafeLength(_ utf8: UnsafeBufferPointer<UInt8>, at index: Int) -> Int {
        switch utf8[index] {
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
