/// The times of round trips, in nanoseconds.
struct Samples {
    var times: [UInt64] = []
    /// The time from the first message to the last answer.
    var elapsed: UInt64 = 0

    /// A percentile of the times in microseconds.
    func percentile(_ share: Double) -> Double {
        let sorted = times.sorted()
        return sorted.isEmpty ? 0 : Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]) / 1_000
    }

    /// A JSON object with times in microseconds.
    var json: String {
        let perSecond = Double(times.count) / (Double(elapsed) / 1e9)
        return """
            {"messages": \(times.count), "median": \(percentile(0.5)), "p99": \(percentile(0.99)), \
            "perSecond": \(perSecond.rounded())}
            """
    }
}
