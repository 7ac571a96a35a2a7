import BridgeProtocol
public import BridgeTraffic
public import EmulatedApp

/// The result of a flow in one browser.
public struct FlowResult: Sendable {
    public let flow: Flow
    public let engine: TestBrowser
    /// Nil if all flows run with the same framework.
    public let framework: Framework?
    /// How the app's stacks changed.
    public internal(set) var navigations: [FlowNavigation] = []
    /// Nil if all steps passed.
    public internal(set) var failure: FlowFailure?
    public internal(set) var duration: Duration
    /// Nil if this run gets no trace.
    public internal(set) var trace: TraceFile?
}

/// The reason why a flow failed: the step, what was expected, what was found, and the latest traffic.
public struct FlowFailure: Sendable {
    public struct Place: Sendable {
        /// The number of the step in the flow, from 1.
        public let number: Int
        public let line: Int
        public let text: String
    }

    /// Nil if the flow failed before its first step.
    public let step: Place?
    public let expected: String
    public let found: String
    /// The latest records, the oldest first.
    public let records: [TrafficRecord]
}

/// What the emulated app showed after a navigation.
public struct FlowNavigation: Sendable, Equatable {
    /// The number of the step that ran, from 1.
    public let step: Int
    /// Both stacks, with paths in place of URLs of the app.
    public let stacks: String
}
