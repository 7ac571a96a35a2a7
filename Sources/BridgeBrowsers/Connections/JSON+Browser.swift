import BridgeProtocol

extension JSON {
    /// Parses a message of a browser's driver. Browsers write a lone surrogate of a page's text as an escape that is not
    /// JSON; it becomes U+FFFD.
    static func parseFromBrowser(_ message: UnsafeRawBufferPointer) -> JSON? {
        if let json = try? JSON.parse(message) { return json }
        return wellFormed(message).flatMap { try? JSON.parse($0) }
    }

    /// Replaces the escapes of lone surrogates.
    /// - Returns: nil if there is none.
    private static func wellFormed(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        var bytes = Array(text)
        var (index, hasChanged) = (0, false)
        while let start = bytes[index...].firstIndex(of: UInt8(ascii: "\\")) {
            let unit = codeUnit(bytes, at: start)
            index = min(bytes.count, start + (unit == nil ? 2 : 6))
            guard let unit, UTF16.isSurrogate(unit) else { continue }
            if UTF16.isLeadSurrogate(unit), let next = codeUnit(bytes, at: index), UTF16.isTrailSurrogate(next) {
                index += 6
            } else {
                for (offset, byte) in "fffd".utf8.enumerated() { bytes[start + 2 + offset] = byte }
                hasChanged = true
            }
        }
        return hasChanged ? bytes : nil
    }

    /// The code unit that an escape such as `\ud83d` stands for; nil if there is none at this place.
    private static func codeUnit(_ bytes: [UInt8], at start: Int) -> UInt16? {
        guard start + 6 <= bytes.count, bytes[start] == UInt8(ascii: "\\"), bytes[start + 1] == UInt8(ascii: "u") else {
            return nil
        }
        var unit: UInt16 = 0
        for place in (start + 2)..<(start + 6) {
            switch bytes[place] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): unit = unit << 4 | UInt16(bytes[place] - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): unit = unit << 4 | UInt16(bytes[place] - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): unit = unit << 4 | UInt16(bytes[place] - UInt8(ascii: "A") + 10)
            default: return nil
            }
        }
        return unit
    }
}
