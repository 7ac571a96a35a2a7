/// Reads the contents of a JSON string with escapes (RFC 8259, section 7).
enum StringUnescaper {
    /// Calls `body` with the bytes that a text stands for. They are UTF-8 if the text is.
    ///
    /// - Parameter text: what is between the quotes.
    /// - Returns: nil if an escape is invalid, or stands for half of a surrogate pair.
    static func withBytes<R>(of text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> R?) -> R? {
        // No escape is shorter than what it stands for.
        withUnsafeTemporaryAllocation(byteCount: text.count, alignment: 1) { target in
            guard let count = unescape(text, to: target) else { return nil }
            return body(UnsafeRawBufferPointer(rebasing: target[..<count]))
        }
    }

    private static func unescape(_ text: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer) -> Int? {
        var (index, count) = (0, 0)
        while index < text.count {
            let byte = text[index]
            index += 1
            guard byte == UInt8(ascii: "\\") else {
                target[count] = byte
                count += 1
                continue
            }
            guard index < text.count else { return nil }
            let escape = text[index]
            index += 1
            if escape == UInt8(ascii: "u") {
                guard let scalar = scalar(in: text, &index) else { return nil }
                UTF8.encode(scalar)?.forEach { unit in
                    target[count] = unit
                    count += 1
                }
            } else {
                guard let byte = character(of: escape) else { return nil }
                target[count] = byte
                count += 1
            }
        }
        return count
    }

    /// Reads what follows `\u`, and the second half of a surrogate pair.
    @inline(__always) private static func scalar(in text: UnsafeRawBufferPointer, _ index: inout Int) -> Unicode.Scalar?
    {
        guard let unit = unit(in: text, &index) else { return nil }
        guard unit & 0xFC00 == 0xD800 else { return Unicode.Scalar(unit) }
        guard index + 1 < text.count, text[index] == UInt8(ascii: "\\"), text[index + 1] == UInt8(ascii: "u") else {
            return nil
        }
        index += 2
        guard let low = self.unit(in: text, &index), low & 0xFC00 == 0xDC00 else { return nil }
        return Unicode.Scalar(0x10000 + (unit & 0x3FF) << 10 + (low & 0x3FF))
    }

    @inline(__always) private static func unit(in text: UnsafeRawBufferPointer, _ index: inout Int) -> UInt32? {
        guard index + 4 <= text.count else { return nil }
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = hexDigit(text[index]) else { return nil }
            unit = unit << 4 | digit
            index += 1
        }
        return unit
    }

    @inline(__always) private static func hexDigit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte) - 0x30
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte) - 0x57
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte) - 0x37
        default: nil
        }
    }

    private static func character(of escape: UInt8) -> UInt8? {
        switch escape {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): escape
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }
}
