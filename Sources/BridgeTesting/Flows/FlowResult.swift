public import BridgeProtocol
public import BridgeTraffic
public import EmulatedApp

/// The result of a flow in one browser.
public struct FlowResult: Sendable {
    public let flow: Flow
    public let engine: TestBrowser
    /// Nil if all flows run with the same framework.
    public let framework: Framework?
    /// The name of the app whose own Swift ran; nil for the emulated app.
    public internal(set) var app: String?
    /// The name of the app's build; nil if none is named.
    public package(set) var binary: String?
    /// The phone or simulator with a real app in which the flow ran; nil if it ran in a browser.
    public internal(set) var device: DeviceInfo?
    /// The steps that cannot be done from within a page of a real app.
    public internal(set) var skippedSteps: [SkippedStep] = []
    /// What the server offered and the app's build lacks, each once.
    public internal(set) var findings: [String] = []
    /// What the page has made of what steps did, such as another text in a field, each with the step.
    public package(set) var notes: [String] = []
    /// What crossed the bridge and the network, in order.
    public internal(set) var events: [FlowEvent] = []
    /// How the app's stacks changed.
    public internal(set) var navigations: [FlowNavigation] = []
    /// Whether the run began before the time of all runs was over. One that did not counts as failed.
    public package(set) var hasBegun = true
    /// Why the flow was left out here; nil if it ran.
    public package(set) var skipped: String?
    /// Nil if all steps passed.
    public internal(set) var failure: FlowFailure?
    /// Those of the steps of `after`, if another step had failed before.
    public internal(set) var laterFailures: [FlowFailure] = []
    /// The runs before this one, which failed, because of `retries`.
    public package(set) var earlier: [FlowResult] = []
    /// Whether the flow passed after it had failed.
    public var isFlaky: Bool { failure == nil && !earlier.isEmpty }
    public package(set) var duration: Duration
    /// Nil if this run gets no trace.
    public internal(set) var trace: TraceFile?

    package init(
        flow: Flow, engine: TestBrowser, framework: Framework? = nil, app: String? = nil, failure: FlowFailure? = nil,
        duration: Duration
    ) {
        (self.flow, self.engine, self.framework, self.app) = (flow, engine, framework, app)
        (self.failure, self.duration) = (failure, duration)
    }
}

/// A step that a flow on a phone has left out.
public struct SkippedStep: Sendable {
    /// The number of the step in the flow, from 1.
    public let number: Int
    public let reason: String
}

/// The reason why a flow failed: the step, what was expected, what was found, and the latest traffic.
public struct FlowFailure: Sendable {
    public struct Place: Sendable, Codable {
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

    package init(step: Place? = nil, expected: String, found: String, records: [TrafficRecord] = []) {
        (self.step, self.expected, self.found, self.records) = (step, expected, found, records)
    }
}

/// What the app showed after a navigation.
public struct FlowNavigation: Sendable, Equatable, Codable {
    /// The number of the step that ran, from 1.
    public let step: Int
    /// Both stacks, with paths in place of URLs of the app.
    public let stacks: String
}

/// What a page posted, native code called in a page, or a browser requested while a flow ran.
public struct FlowEvent: Sendable, Equatable, Codable {
    public enum Kind: String, Sendable, Codable {
        /// A message with a name: `turbo visitProposed`, `bridge form connect`.
        case message
        /// A call of a framework's adapter: `turboNative.visitLocationWithOptionsAndRestorationIdentifier /posts`.
        case call
        /// A request for a document, or of `fetch`: `GET /posts 200`. Only driven browsers tell.
        case request
    }

    /// The number of the step that ran, from 1.
    public let step: Int
    public let kind: Kind
    public let text: String

    /// The message's handler.
    var handler: Substring? { kind == .message ? text.prefix { $0 != " " } : nil }
}
