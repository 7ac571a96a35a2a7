/// Prints finite numbers as JavaScript does (ECMA-262, Number::toString with radix 10): the shortest digits that read
/// back as the same double. Negative zero prints as `0`, as in JavaScript.
enum JavaScriptNumber {
    static func append(_ value: Double, to bytes: inout ByteBuffer) {
        // Most numbers in messages are small and whole.
        if value.magnitude < 0x1p53, let whole = Int64(exactly: value) {
            DecimalDigits.append(whole, to: &bytes)
            return
        }
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        let decimal = Decimal(value.magnitude)
        switch decimal.point {
        case 1...21: appendPlain(decimal, to: &bytes)
        case -5...0: appendFraction(decimal, to: &bytes)
        default: appendExponential(decimal, to: &bytes)
        }
    }

    /// The shortest digits, without leading or trailing zeros, and the place of the decimal point: 0 for `0.ddd`, 1 for
    /// `d.dd`.
    private struct Decimal {
        var digits: [UInt8] = []
        var point = 0

        /// Reads the digits from Swift's description, which has the same digits as JavaScript in another layout:
        /// `1e+16`, `5e-324`, `123.0`.
        init(_ value: Double) {
            var description = value.description
            description.withUTF8 { text in
                let end = text.firstIndex(of: UInt8(ascii: "e")) ?? text.endIndex
                point = text[..<end].firstIndex(of: UInt8(ascii: ".")) ?? end
                digits = text[..<end].filter { $0 != UInt8(ascii: ".") }
                if end < text.endIndex { point += Int(String(decoding: text[(end + 1)...], as: UTF8.self)) ?? 0 }
            }
            let leading = digits.prefix { $0 == UInt8(ascii: "0") }.count
            digits.removeFirst(leading)
            point -= leading
            while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        }
    }

    private static func appendPlain(_ decimal: Decimal, to bytes: inout ByteBuffer) {
        let digits = decimal.digits
        bytes.append(contentsOf: digits.prefix(decimal.point))
        if digits.count > decimal.point {
            bytes.append(UInt8(ascii: "."))
            bytes.append(contentsOf: digits.dropFirst(decimal.point))
        } else {
            appendZeros(decimal.point - digits.count, to: &bytes)
        }
    }

    private static func appendFraction(_ decimal: Decimal, to bytes: inout ByteBuffer) {
        bytes.append("0.")
        appendZeros(-decimal.point, to: &bytes)
        bytes.append(contentsOf: decimal.digits)
    }

    private static func appendExponential(_ decimal: Decimal, to bytes: inout ByteBuffer) {
        bytes.append(contentsOf: decimal.digits.prefix(1))
        if decimal.digits.count > 1 {
            bytes.append(UInt8(ascii: "."))
            bytes.append(contentsOf: decimal.digits.dropFirst())
        }
        let exponent = decimal.point - 1
        bytes.append(exponent < 0 ? "e" : "e+")
        bytes.append(contentsOf: String(exponent).utf8)
    }

    private static func appendZeros(_ count: Int, to bytes: inout ByteBuffer) {
        bytes.append(repeating: UInt8(ascii: "0"), count: count)
    }
}

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
            // Two digits at a time: a division is the most expensive step.
            while index > 1 {
                index &-= 2
                let quotient = rest / 100
                let pair = UInt32(truncatingIfNeeded: rest &- quotient &* 100)
                let tens = (pair &* 103) &>> 10
                target[index] = UInt8(truncatingIfNeeded: 48 &+ tens)
                target[index &+ 1] = UInt8(truncatingIfNeeded: 48 &+ pair &- tens &* 10)
                rest = quotient
            }
            if index == 1 { target[0] = UInt8(truncatingIfNeeded: 48 &+ rest % 10) }
            return digits
        }
    }

    private static func count(of value: UInt64) -> Int {
        var count = 1
        var limit: UInt64 = 10
        while value >= limit {
            count += 1
            // 10^19 is the largest power that fits.
            guard count < 20 else { break }
            limit &*= 10
        }
        return count
    }
}
