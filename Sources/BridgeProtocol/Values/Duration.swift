extension Duration {
    package var seconds: Double { self / .seconds(1) }

    /// The duration in milliseconds, rounded to the microsecond.
    public var milliseconds: Double { (self / .microseconds(1)).rounded() / 1_000 }

    /// The duration for a message, such as `20 ms`.
    package var inMilliseconds: String { "\(JSONValue.number(milliseconds)) ms" }

    /// Reads `300ms`, `5s`, `2m`, or a number of seconds. Returns `nil` for another text.
    public init?(_ text: String) {
        let units: [(String, Double)] = [("ms", 0.001), ("s", 1), ("m", 60), ("", 1)]
        guard let (unit, factor) = units.first(where: { text.hasSuffix($0.0) }),
            let number = Double(text.dropLast(unit.count)), (0...1e9).contains(number)
        else { return nil }
        self = .seconds(number * factor)
    }

    /// The duration of a number from outside. NaN becomes 0, and more than 30,000 years become 30,000 years, because
    /// `Duration` cannot hold every number.
    package init(clampingMilliseconds number: Double) {
        self = .milliseconds(number.isNaN ? 0 : min(max(number, -1e15), 1e15))
    }

    private var wholeMicroseconds: Int64 {
        let (seconds, attoseconds) = components
        guard seconds.magnitude < 1_000_000_000_000 else { return seconds < 0 ? .min : .max }
        return seconds * 1_000_000 + (attoseconds + (attoseconds < 0 ? -1 : 1) * 500_000_000_000) / 1_000_000_000_000
    }
}

extension Duration: JSONWritable {
    /// Writes the duration in milliseconds, rounded to the microsecond.
    public func write(to writer: inout JSONWriter) { writer.thousandths(wholeMicroseconds) }
}
