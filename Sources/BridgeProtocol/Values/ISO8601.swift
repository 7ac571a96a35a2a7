public import Foundation
private import Synchronization

/// Reads and prints dates as JavaScript does (ECMA-262, "Date Time String Format").
///
/// The printer runs once for each traffic record, so it does not use Foundation's formatters.
public enum ISO8601 {
    /// The largest distance from 1970 that a JavaScript date can have, in milliseconds.
    private static let limit = 8.64e15

    /// Reads a date, or a date and a time with `Z` or an offset, as in the output of `toISOString` and in RFC 3339.
    ///
    /// Returns `nil` for another text and for a date outside JavaScript's range. A date alone means midnight UTC.
    public static func date(_ text: String) -> Date? {
        milliseconds(text).map { Date(timeIntervalSince1970: $0 / 1_000) }
    }

    /// Prints a date as `toISOString` does: `2026-11-20T10:00:00.000Z`, `+275760-09-13T00:00:00.000Z`.
    ///
    /// Returns `nil` for an invalid date.
    public static func string(_ date: Date) -> String? {
        let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded()
        guard milliseconds.magnitude <= limit else { return nil }
        var bytes = ByteBuffer(capacity: 32)
        append(Int(milliseconds), perSecond: 1_000, fractionDigits: 3, to: &bytes)
        return bytes.withBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// Reads a date as milliseconds since 1970.
    static func milliseconds(_ text: String) -> Double? {
        guard text.utf8.count <= 64 else { return nil }
        var scanner = DateScanner(text)
        return scanner.milliseconds().flatMap { $0.magnitude <= limit ? $0 : nil }
    }

    /// Appends a point in time in UTC, such as `2026-11-20T10:00:00.000Z`. A year outside 0…9999 is printed with a sign
    /// and six digits.
    ///
    /// - Parameter ticks: the time since 1970, in units of which a second has `ticksPerSecond`.
    static func append(
        _ ticks: Int, perSecond ticksPerSecond: Int, fractionDigits: Int, to bytes: inout ByteBuffer
    ) {
        var (second, fraction) = ticks.quotientAndRemainder(dividingBy: ticksPerSecond)
        if fraction < 0 {
            second -= 1
            fraction += ticksPerSecond
        }
        lastSecond.withLock { last in
            if last.second != second { last = (second, text(ofSecond: second)) }
            bytes.append(last.text)
        }
        bytes.append(UInt8(ascii: "."))
        DecimalDigits.append(UInt64(fraction), digits: fractionDigits, to: &bytes)
        bytes.append(UInt8(ascii: "Z"))
    }

    /// The last second that was printed and its text. Many records have the same second, and `gmtime_r` takes 300
    /// instructions.
    private static let lastSecond = Mutex((second: Int.min, text: [UInt8]()))

    /// The UTC date and time without a fraction, such as `2026-11-20T10:00:00`.
    private static func text(ofSecond second: Int) -> [UInt8] {
        var second = second
        var time = tm()
        var bytes = ByteBuffer(capacity: 32)
        gmtime_r(&second, &time)
        let year = Int(time.tm_year) + 1_900
        if !(0...9_999).contains(year) { bytes.append(UInt8(ascii: year < 0 ? "-" : "+")) }
        DecimalDigits.append(UInt64(year.magnitude), digits: (0...9_999).contains(year) ? 4 : 6, to: &bytes)
        append("-", time.tm_mon + 1, to: &bytes)
        append("-", time.tm_mday, to: &bytes)
        append("T", time.tm_hour, to: &bytes)
        append(":", time.tm_min, to: &bytes)
        append(":", time.tm_sec, to: &bytes)
        return bytes.array
    }

    private static func append(_ separator: Unicode.Scalar, _ value: Int32, to bytes: inout ByteBuffer) {
        bytes.append(UInt8(ascii: separator))
        DecimalDigits.append(UInt64(value), digits: 2, to: &bytes)
    }
}

/// Reads one date from its text, part by part.
private struct DateScanner {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    /// Reads the whole text as milliseconds since 1970.
    mutating func milliseconds() -> Double? {
        var time = tm()
        guard let year = year(), skip("-"), let month = digits(2), skip("-"), let day = digits(2) else { return nil }
        time.tm_year = Int32(year - 1_900)
        time.tm_mon = Int32(month - 1)
        time.tm_mday = Int32(day)
        guard skip("T") else { return rest.isEmpty ? seconds(time).map { Double($0) * 1_000 } : nil }
        guard let hour = digits(2), skip(":"), let minute = digits(2) else { return nil }
        time.tm_hour = Int32(hour)
        time.tm_min = Int32(minute)
        var fraction = 0.0
        if skip(":") {
            guard let second = digits(2) else { return nil }
            time.tm_sec = Int32(second)
            if skip(".") {
                guard let value = self.fraction() else { return nil }
                fraction = value
            }
        }
        guard let offset = offset(), rest.isEmpty, let seconds = seconds(time) else { return nil }
        return Double(seconds - offset) * 1_000 + fraction * 1_000
    }

    /// The seconds since 1970, or `nil` if there is no such day or time in the calendar.
    private func seconds(_ time: tm) -> Int? {
        var normalized = time
        let seconds = timegm(&normalized)
        // timegm turns February 30 into March 2. So a day or time that it changes does not exist.
        let isUnchanged =
            time.tm_mon == normalized.tm_mon && time.tm_mday == normalized.tm_mday
            && time.tm_hour == normalized.tm_hour && time.tm_min == normalized.tm_min
            && time.tm_sec == normalized.tm_sec
        return isUnchanged ? seconds : nil
    }

    /// Reads four digits, or a sign and six digits. The year -000000 does not exist (ECMA-262).
    private mutating func year() -> Int? {
        if skip("+") { return digits(6) }
        if skip("-") { return digits(6).flatMap { $0 == 0 ? nil : -$0 } }
        return digits(4)
    }

    /// Reads the offset from UTC and returns it in seconds.
    private mutating func offset() -> Int? {
        if skip("Z") { return 0 }
        let sign = rest.first == UInt8(ascii: "-") ? -1 : 1
        guard skip("-") || skip("+"), let hours = digits(2), hours < 24, skip(":"), let minutes = digits(2),
            minutes < 60
        else { return nil }
        return sign * (hours * 3_600 + minutes * 60)
    }

    /// Reads a fraction of a second with any number of digits.
    private mutating func fraction() -> Double? {
        let text = rest.prefix { Self.isDigit($0) }
        rest = rest.dropFirst(text.count)
        return text.isEmpty ? nil : Double("0." + String(Substring(text)))
    }

    private mutating func digits(_ count: Int) -> Int? {
        let text = rest.prefix(count)
        guard text.count == count, text.allSatisfy(Self.isDigit) else { return nil }
        rest = rest.dropFirst(count)
        return Int(Substring(text))
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
