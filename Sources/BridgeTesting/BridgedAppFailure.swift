import BridgeProtocol
public import BridgeTraffic

/// What a test waited for, what came instead, and the last of the traffic.
public struct BridgedAppFailure: Error, Sendable, CustomStringConvertible {
    public let expected: String
    public let found: String
    /// The latest records, oldest first.
    public let records: [TrafficRecord]
    let isTimeOut: Bool

    public var description: String {
        let readable = ReadableTraffic()
        let lines = records.map { "  " + readable.text($0).replacing("\n", with: "\n  ") }
        let log = lines.isEmpty ? "Nothing has crossed." : "The last that crossed:\n" + lines.joined(separator: "\n")
        return "Expected \(expected); \(found). \(log)"
    }
}
