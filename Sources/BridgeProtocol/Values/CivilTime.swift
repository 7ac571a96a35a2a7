/// A day and a time of the proleptic Gregorian calendar in UTC: what ISO 8601 writes down.
struct CivilTime {
    var year: Int
    var month: Int
    var day: Int
    var hour = 0
    var minute = 0
    var second = 0

    /// `second` counts from 1970-01-01T00:00:00Z and may be any of Int32's days away.
    init(secondsSince1970 seconds: Int) {
        let days = Self.floorDivide(seconds, 86_400)
        let rest = seconds - days * 86_400
        // Years that begin in March put the leap day last, so months have a closed form. Eras have 400 years.
        let shifted = days + 719_468
        let era = Self.floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        hour = rest / 3_600
        minute = rest / 60 % 60
        second = rest % 60
    }

    /// `nil` for what is not in the calendar.
    init?(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
        guard (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day),
            (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    var secondsSince1970: Int {
        let marchYear = month <= 2 ? year - 1 : year
        let era = Self.floorDivide(marchYear, 400)
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
        return days * 86_400 + hour * 3_600 + minute * 60 + second
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    static func floorDivide(_ value: Int, _ divisor: Int) -> Int {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// Appends `2026-11-20T10:00:00`; years beyond 0…9999 with a sign and six digits, as ECMA-262 expands them.
    func append(to bytes: inout ByteBuffer) {
        if (0...9_999).contains(year) {
            DecimalDigits.append(UInt64(year), digits: 4, to: &bytes)
        } else {
            bytes.append(UInt8(ascii: year < 0 ? "-" : "+"))
            DecimalDigits.append(UInt64(year.magnitude), digits: 6, to: &bytes)
        }
        append("-", month, to: &bytes)
        append("-", day, to: &bytes)
        append("T", hour, to: &bytes)
        append(":", minute, to: &bytes)
        append(":", second, to: &bytes)
    }

    @inline(__always) private func append(_ separator: Unicode.Scalar, _ value: Int, to bytes: inout ByteBuffer) {
        bytes.append(UInt8(ascii: separator))
        DecimalDigits.append(UInt64(truncatingIfNeeded: value), digits: 2, to: &bytes)
    }

    /// How finely a text tells the time, in parts of a second.
    enum Precision: Int {
        case milliseconds = 1_000
        case microseconds = 1_000_000
    }

    /// Appends the full text in UTC, such as `2026-11-20T10:00:00.000Z`.
    /// - Parameter ticks: milliseconds or microseconds since 1970.
    static func append(_ ticks: Int, _ precision: Precision, to bytes: inout ByteBuffer) {
        let ticksPerSecond = precision.rawValue
        let seconds = floorDivide(ticks, ticksPerSecond)
        CivilTime(secondsSince1970: seconds).append(to: &bytes)
        bytes.append(UInt8(ascii: "."))
        let fraction = UInt64((ticks &- seconds &* ticksPerSecond).magnitude)
        switch precision {
        case .milliseconds: DecimalDigits.append(fraction, digits: 3, to: &bytes)
        case .microseconds: DecimalDigits.append(fraction, digits: 6, to: &bytes)
        }
        bytes.append(UInt8(ascii: "Z"))
    }

    static func text(_ ticks: Int, _ precision: Precision) -> String {
        var bytes = ByteBuffer(capacity: 32)
        append(ticks, precision, to: &bytes)
        return bytes.withBytes { String(decoding: $0, as: UTF8.self) }
    }
}
