/// Prints whole numbers without making a `String`.
enum DecimalDigits {
    static func append(_ value: Int64, to bytes: inout ByteBuffer) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        append(value.magnitude, digits: count(of: value.magnitude), to: &bytes)
    }

    /// Appends the last `digits` digits of a number, padded with zeros.
    @inline(__always) static func append(_ value: UInt64, digits: Int, to bytes: inout ByteBuffer) {
        bytes.append(upTo: digits) { target in
            var rest = value
            var index = digits
            while index > 0 {
                index &-= 1
                let quotient = rest / 10
                target[index] = UInt8(truncatingIfNeeded: 48 &+ rest &- quotient &* 10)
                rest = quotient
            }
            return digits
        }
    }

    private static func count(of value: UInt64) -> Int {
        var count = 1
        var rest = value
        while rest >= 10 {
            rest /= 10
            count += 1
        }
        return count
    }
}
