/// Decodes the bytes that a terminal sends into keys (ECMA-48 for arrows and similar keys). It does no I/O.
public struct KeyDecoder: Sendable {
    /// The beginning of an incomplete sequence.
    private var pending: [UInt8] = []

    public init() {}

    /// Decodes the next byte.
    /// - Returns: the key that the byte completes; nil if the sequence is incomplete, or if the key has no function.
    public mutating func key(for byte: UInt8) -> LineEditor.Key? {
        if pending.first == 0x1B { return escapeSequence(byte) }
        if byte >= 0x80 || !pending.isEmpty { return character(byte) }
        switch byte {
        case 0x01: return .home
        case 0x02: return .left
        case 0x03: return .interrupt
        case 0x04: return .endOfInput
        case 0x05: return .end
        case 0x06: return .right
        case 0x08, 0x7F: return .backspace
        case 0x09: return .tab
        case 0x0A, 0x0D: return .enter
        case 0x0B: return .killToEnd
        case 0x0C: return .clearScreen
        case 0x0E: return .down
        case 0x10: return .up
        case 0x15: return .killToStart
        case 0x17: return .killWord
        case 0x1B: pending = [byte]
        case 0x20...: return .character(Character(Unicode.Scalar(byte)))
        default: break
        }
        return nil
    }

    private mutating func character(_ byte: UInt8) -> LineEditor.Key? {
        pending.append(byte)
        guard let first = pending.first, first >= 0xC2, first <= 0xF4 else { pending = []; return nil }
        guard pending.count == (first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4) else { return nil }
        defer { pending = [] }
        return String(validating: pending, as: UTF8.self)?.first.map(LineEditor.Key.character)
    }

    /// Decodes a sequence `ESC [ parameters final` or `ESC O final`.
    private mutating func escapeSequence(_ byte: UInt8) -> LineEditor.Key? {
        pending.append(byte)
        if pending.count == 2, byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O") { return nil }
        if pending.count > 2, (0x30...0x3F).contains(byte), pending.count < 16 { return nil }
        let sequence = String(decoding: pending.dropFirst(), as: UTF8.self)
        pending = []
        return switch sequence {
        case "[A", "OA": .up
        case "[B", "OB": .down
        case "[C", "OC": .right
        case "[D", "OD": .left
        case "[H", "OH", "[1~": .home
        case "[F", "OF", "[4~": .end
        case "[3~": .delete
        default: nil
        }
    }
}
