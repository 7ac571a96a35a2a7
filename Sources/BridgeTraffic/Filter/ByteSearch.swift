import BridgeProtocol

/// Searches the bytes of a record's line without making strings.
enum ByteSearch {
    /// The bytes to search for, in lower case: the text as it is, and with the escapes that it has in a JSON string.
    static func needles(for text: String) -> [[UInt8]] {
        var writer = JSONWriter()
        writer.string(text)
        let escaped = writer.bytes.dropFirst().dropLast().map(lowercased)
        let plain = text.utf8.map(lowercased)
        return plain == escaped ? [plain] : [plain, escaped]
    }

    /// Whether the line contains the bytes. Upper and lower case of ASCII letters make no difference.
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
