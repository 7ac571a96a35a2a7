import BridgeProtocol
public import BridgeTraffic
import EmulatedApp
public import PathConfiguration

/// How a flow ended in one browser.
public struct FlowResult: Sendable {
    public let flow: Flow
    public let engine: Browser.Engine
    /// Nil where flows run on one platform alone.
    public let platform: Platform?
    /// Nil where all steps were done.
    public internal(set) var failure: FlowFailure?
    public internal(set) var duration: Duration
}

/// The step that failed, what was expected, what came, and the last of the traffic.
public struct FlowFailure: Sendable {
    public struct Place: Sendable {
        /// From 1.
        public let number: Int
        public let line: Int
        public let text: String
    }

    /// Nil where no step could be tried.
    public let step: Place?
    public let expected: String
    public let found: String
    /// Oldest first.
    public let records: [TrafficRecord]
}
