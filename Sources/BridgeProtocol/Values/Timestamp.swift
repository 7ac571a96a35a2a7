private import Foundation

/// A point in time, to the microsecond.
public struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The time since 1970-01-01T00:00:00Z, without leap seconds.
    public let microseconds: Int64

    public init(microseconds: Int64) { self.microseconds = microseconds }

    /// The wall clock's time (`CLOCK_REALTIME`).
    public static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }

    /// Reads RFC 3339, to the microsecond. Returns `nil` for another text.
    public init?(_ text: String) {
        guard let milliseconds = ISO8601.milliseconds(text) else { return nil }
        microseconds = Int64((milliseconds * 1_000).rounded())
    }

    /// The time in UTC as RFC 3339 has it, with microseconds: `2026-11-20T10:00:00.000000Z`.
    public var description: String { String(text.dropFirst().dropLast()) }

    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.microseconds < right.microseconds }
}

extension Timestamp: JSONWritable {
    /// Writes ``description`` as a string.
    public func write(to writer: inout JSONWriter) {
        writer.plainString {
            ISO8601.append(Int(microseconds), perSecond: 1_000_000, fractionDigits: 6, to: &$0)
        }
    }
}
