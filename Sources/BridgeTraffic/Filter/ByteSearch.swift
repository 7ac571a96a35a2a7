import BridgeProtocol

/// A search for several short texts in the bytes of a record, without making strings.
///
/// The search (Horspool's) looks at about one byte in as many as the shortest text has.
struct ByteSearch: Sendable, Hashable {
    private let needles: [[UInt8]]
    private let ignoresCase: Bool
    /// The size of the part that the search looks at: that of the shortest needle.
    private let length: Int
    /// How far the search moves on, by the last byte of the part that it looks at; 0 if that byte may end a needle.
    private let shifts: [Int]

    /// - Parameter ignoresCase: whether upper and lower case of ASCII letters make no difference.
    init(_ needles: [[UInt8]], ignoringCase ignoresCase: Bool = false) {
        let needles = ignoresCase ? needles.map { $0.map(ByteSearch.lowercased) } : needles
        let length = needles.map(\.count).min() ?? 0
        var shifts = [Int](repeating: max(1, length), count: 256)
        for needle in needles {
            for (index, byte) in needle.prefix(length).enumerated() {
                shifts[Int(byte)] = min(shifts[Int(byte)], length - 1 - index)
            }
        }
        if ignoresCase {
            for letter in UInt8(ascii: "A")...UInt8(ascii: "Z") { shifts[Int(letter)] = shifts[Int(letter | 0x20)] }
        }
        (self.needles, self.ignoresCase, self.length, self.shifts) = (needles, ignoresCase, length, shifts)
    }

    /// A search for texts in JSON: for each as it is, and with the escapes that it has in a JSON string.
    init(texts: [String]) {
        let needles = texts.flatMap { text in
            var writer = JSONWriter()
            writer.string(text)
            return [Array(text.utf8), Array(writer.bytes.dropFirst().dropLast())]
        }
        self.init(needles, ignoringCase: true)
    }

    /// Whether one of the needles is in the bytes. An empty needle is everywhere.
    func matches(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard length > 0 else { return !needles.isEmpty }
        return shifts.withUnsafeBufferPointer { shifts in
            var end = length - 1
            while end < bytes.count {
                let shift = shifts[Int(bytes[end])]
                if shift == 0, beginsWithNeedle(bytes[(end - length + 1)...]) { return true }
                end += max(1, shift)
            }
            return false
        }
    }

    private func beginsWithNeedle(_ rest: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        needles.contains { needle in
            ignoresCase
                ? rest.starts(with: needle) { ByteSearch.lowercased($0) == $1 }
                : rest.starts(with: needle)
        }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
