/// Finds the commas before a closing bracket or brace. Foundation's parser on Apple's systems accepts them, and so does
/// an app for iOS; RFC 8259 does not.
struct TrailingCommas {
    /// The text with a space in place of each such comma, so that all other places stay as they are.
    private(set) var blanked: [UInt8]
    /// The index of each such comma in the text, in order.
    private(set) var offsets: [Int] = []

    init(_ text: [UInt8]) {
        blanked = text
        var isInString = false
        var isEscaped = false
        var comma: Int?
        // A comma that follows no value is a mistake on every system.
        var followsValue = false
        for (offset, byte) in text.enumerated() {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: ","):
                comma = followsValue ? offset : nil
                followsValue = false
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if let comma { offsets.append(comma) }
                comma = nil
                followsValue = true
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): continue
            default:
                isInString = byte == UInt8(ascii: "\"")
                comma = nil
                followsValue = ![UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: ":")].contains(byte)
            }
        }
        for offset in offsets { blanked[offset] = UInt8(ascii: " ") }
    }
}
