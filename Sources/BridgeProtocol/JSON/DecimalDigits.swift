/// Prints whole numbers without a `String` on the way.
enum DecimalDigits {
    static func append(_ value: Int64, to bytes: inout [UInt8]) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        append(value.magnitude, minimum: 1, to: &bytes)
    }

    /// Fills up with zeros to `minimum` digits.
    static func append(_ value: UInt64, minimum: Int, to bytes: inout [UInt8]) {
        var count = 1
        var rest = value
        while rest >= 10 {
            rest /= 10
            count += 1
        }
        bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: max(count, minimum)))
        rest = value
        var index = bytes.count
        while rest > 0 {
            index -= 1
            bytes[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }
}
