#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Dates as JavaScript writes them (ECMA-262, "Date Time String Format"), without Foundation's formatters.
public enum ISO8601 {
    /// The farthest that a JavaScript date may be from 1970, in milliseconds either way.
    private static let limit = 8.64e15

    /// Reads a date, or a date and a time with `Z` or an offset: what `toISOString` prints, and RFC 3339.
    /// `nil` where the text is something else or beyond JavaScript's dates. A date alone means midnight UTC.
    public static func date(_ text: String) -> Date? {
        milliseconds(text).map { Date(timeIntervalSince1970: $0 / 1_000) }
    }

    /// As `toISOString` prints it: `2026-11-20T10:00:00.000Z`, `+275760-09-13T00:00:00.000Z`. `nil` for an invalid
    /// date.
    public static func string(_ date: Date) -> String? {
        let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded()
        guard milliseconds.magnitude <= limit else { return nil }
        return CivilTime.text(Int(milliseconds), .milliseconds)
    }

    /// Since 1970.
    static func milliseconds(_ text: String) -> Double? {
        guard text.utf8.count <= 64 else { return nil }
        var scanner = Scanner(text)
        guard let (time, fraction) = scanner.dateAndTime(), scanner.isAtEnd else { return nil }
        let milliseconds = Double(time) * 1_000 + fraction
        return milliseconds.magnitude <= limit ? milliseconds : nil
    }

    private struct Scanner {
        private var rest: Substring.UTF8View

        init(_ text: String) { rest = text[...].utf8 }

        var isAtEnd: Bool { rest.isEmpty }

        /// Seconds since 1970, and milliseconds of the second.
        mutating func dateAndTime() -> (Int, Double)? {
            guard let year = year(), skip("-"), let month = digits(2), skip("-"), let day = digits(2) else {
                return nil
            }
            guard skip("T") else {
                return CivilTime(year: year, month: month, day: day).map { ($0.secondsSince1970, 0) }
            }
            guard let hour = digits(2), skip(":"), let minute = digits(2) else { return nil }
            var second = 0
            var fraction = 0.0
            if skip(":") {
                guard let value = digits(2) else { return nil }
                second = value
                if skip(".") {
                    guard let value = self.fraction() else { return nil }
                    fraction = value
                }
            }
            guard let offset = offset(),
                let time = CivilTime(
                    year: year, month: month, day: day, hour: hour, minute: minute, second: second)
            else { return nil }
            return (time.secondsSince1970 - offset, fraction)
        }

        /// Four digits, or a sign and six. There is no year -000000 (ECMA-262).
        private mutating func year() -> Int? {
            if skip("+") { return digits(6) }
            if skip("-") { return digits(6).flatMap { $0 == 0 ? nil : -$0 } }
            return digits(4)
        }

        /// In seconds.
        private mutating func offset() -> Int? {
            if skip("Z") { return 0 }
            let sign = rest.first == UInt8(ascii: "-") ? -1 : 1
            guard skip("-") || skip("+"), let hours = digits(2), hours < 24, skip(":"), let minutes = digits(2),
                minutes < 60
            else { return nil }
            return sign * (hours * 3_600 + minutes * 60)
        }

        private mutating func fraction() -> Double? {
            let text = rest.prefix { Self.isDigit($0) }
            rest = rest.dropFirst(text.count)
            return Double("0." + String(Substring(text))).flatMap { text.isEmpty ? nil : $0 * 1_000 }
        }

        private mutating func digits(_ count: Int) -> Int? {
            let text = rest.prefix(count)
            guard text.count == count, text.allSatisfy(Self.isDigit) else { return nil }
            rest = rest.dropFirst(count)
            return text.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        }

        private mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest = rest.dropFirst()
            return true
        }

        private static func isDigit(_ byte: UInt8) -> Bool {
            byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
        }
    }
}
