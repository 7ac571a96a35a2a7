/// The hash function of `page/tagger.js`, over UTF-16 units.
struct TagHash {
    private var state: UInt32 = 0x9747_b28c

    mutating func mix(_ text: some StringProtocol) {
        for unit in text.utf16 {
            state = (state ^ UInt32(unit)) &* 0x5bd1_e995
            state ^= state >> 15
        }
    }

    var hex: String { String(state, radix: 16) }

    static func hex(of text: String) -> String {
        var hash = TagHash()
        hash.mix(text)
        return hash.hex
    }
}
