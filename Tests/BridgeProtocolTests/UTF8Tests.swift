import Testing

@testable import BridgeProtocol

/// The check of long texts looks at pieces of 64 KiB, whose ends may be within a character.
@Suite struct UTF8Tests {
    private func isUTF8(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes(\.isUTF8) }

    @Test(arguments: ["x", "é", "€", "😀"])
    func acceptsCharacters_whereverAPieceEnds(character: String) {
        for start in 0...4 {
            let text = String(repeating: " ", count: start) + String(repeating: character, count: 150_000)
            #expect(isUTF8(Array(text.utf8)))
        }
    }

    /// A lone byte, an overlong form, half of a pair, and a number that is too large.
    @Test(arguments: [[0x80], [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]] as [[UInt8]])
    func refusesOneMistake_whereverItIs(mistake: [UInt8]) {
        for start in [0, 65_530, 65_533, 65_534, 65_535, 65_536, 131_071, 200_000] {
            var bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 200_000)
            bytes.insert(contentsOf: mistake, at: start)
            #expect(!isUTF8(bytes), "at \(start)")
        }
    }

    @Test func refusesACharacterThatIsCutOff() {
        for count in 1...3 {
            let cut = "😀".utf8.prefix(count)
            #expect(!isUTF8(Array(cut)))
            #expect(!isUTF8([UInt8](repeating: 0x20, count: (64 << 10) - 1) + cut))
            #expect(!isUTF8([UInt8](repeating: 0x20, count: (64 << 10) - 1) + cut + [0x20]))
        }
    }

    /// Such bytes continue a character that never began.
    @Test func refusesAPieceOfContinuations() { #expect(!isUTF8([UInt8](repeating: 0x80, count: 300_000))) }

    @Test func acceptsNothing() { #expect(isUTF8([])) }
}
