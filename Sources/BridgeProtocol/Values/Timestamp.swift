#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#else
    private import Darwin
#endif

/// A point in time, to the microsecond.
public struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Since 1970-01-01T00:00:00Z, without leap seconds.
    public let microseconds: Int64

    public init(microseconds: Int64) { self.microseconds = microseconds }

    /// The wall clock (`CLOCK_REALTIME`).
    public static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }

    /// Reads RFC 3339, to the microsecond. `nil` for another text.
    public init?(_ text: String) {
        guard let milliseconds = ISO8601.milliseconds(text) else { return nil }
        microseconds = Int64((milliseconds * 1_000).rounded())
    }

    /// RFC 3339 in UTC with microseconds: `2026-11-20T10:00:00.000000Z`.
    public var description: String { CivilTime.text(Int(microseconds), .microseconds) }

    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.microseconds < right.microseconds }
}

extension Timestamp: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.plainString { CivilTime.append(Int(microseconds), .microseconds, to: &$0) }
    }
}
