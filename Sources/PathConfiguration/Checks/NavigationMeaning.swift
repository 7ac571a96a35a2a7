public import BridgeProtocol

/// What a navigator does with a proposal in one state of the app, in words.
public struct NavigationMeaning: Sendable, Equatable {
    /// `no modal`, `modal`, `modal of 1 screen`, `modal of 2 or more`, `any`.
    public let state: String
    /// What the stacks do and what is visited.
    public let text: String

    public init(state: String, text: String) {
        self.state = state
        self.text = text
    }
}

extension NavigationMeaning: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("state", state)
            writer.member("text", text)
        }
    }
}
