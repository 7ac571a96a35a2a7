import BridgeProtocol
public import BridgeTraffic

/// The error of an expectation that failed: what was expected, what came instead, and the latest traffic.
public struct BridgedAppFailure: Error, Sendable, CustomStringConvertible {
    public let expected: String
    public let found: String
    /// The latest records, the oldest first.
    public let records: [TrafficRecord]
    let isTimeOut: Bool

    public var description: String {
        "\(sentence("Expected \(expected); \(found)")) \(records.latestTraffic)"
    }
}
