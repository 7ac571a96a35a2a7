public import BridgeProtocol

/// A difference between two runs of an app.
public struct TrafficDifference: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
        /// A document that was loaded.
        case page
        case message, reply
        /// A call of native code in the page.
        case call
        /// A visit or a navigation of the emulated app.
        case visit
        case request
    }

    public struct Side: Sendable, Equatable {
        /// The number of the record.
        public let record: Int
        /// The value as JSON, or `nothing`; of an event in another order, which event came before it.
        public let text: String
        /// The index of the record in its log.
        let position: Int
    }

    public let kind: Kind
    /// What it is about, such as `form connect`, `nativeBridge.replyWith` or `GET /posts`.
    public let name: String
    /// The path of the page.
    public let page: String
    /// The place in the content: `/body/…`, `/verdict` or `/types/…` of a message, `/value/…` or `/error` of a reply,
    /// `/arguments/…` of a call. Empty if only one run has it.
    public let place: JSONPointer
    /// What the first run has; nil if it has no counterpart.
    public let first: Side?
    public let second: Side?
    /// Whether both runs have it, in another order.
    public let isOrder: Bool
}
