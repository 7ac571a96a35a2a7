import BridgeProtocol

/// Looks for text in a record's line without making strings of it.
enum ByteSearch {
    /// What to look for: the text as it is, and with the escapes that it has within a JSON string, in lower case.
    static func needles(for text: String) -> [[UInt8]] {
        var writer = JSONWriter()
        writer.string(text)
        let escaped = writer.bytes.dropFirst().dropLast().map(lowercased)
        let plain = text.utf8.map(lowercased)
        return plain == escaped ? [plain] : [plain, escaped]
    }

    /// Whether the line has the bytes somewhere. ASCII letters count as the same in upper and lower case.
    static func contains(_ needle: [UInt8], in line: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = needle.first else { return true }
        guard needle.count <= line.count else { return false }
        for start in 0...(line.count - needle.count) where lowercased(line[start]) == first {
            if needle.indices.allSatisfy({ lowercased(line[start + $0]) == needle[$0] }) { return true }
        }
        return false
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
