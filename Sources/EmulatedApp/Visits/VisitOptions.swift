public import BridgeProtocol

/// How a visit goes about it: Turbo's own options, as far as the app passes them on.
public struct VisitOptions: Sendable, Equatable {
    public var action: VisitAction
    /// What the server answered already, as to a form: the visit shows it instead of asking again.
    public var response: VisitResponse?
    /// The page as it was, for a visit that is drawn from it.
    public var snapshotHTML: String?

    public init(action: VisitAction = .advance, response: VisitResponse? = nil, snapshotHTML: String? = nil) {
        self.action = action
        self.response = response
        self.snapshotHTML = snapshotHTML
    }
}

/// A server's answer that Turbo has in hand.
public struct VisitResponse: Sendable, Equatable, Codable {
    public var statusCode: Int
    public var redirected: Bool?
    public var responseHTML: String?

    public init(statusCode: Int, redirected: Bool? = nil, responseHTML: String? = nil) {
        self.statusCode = statusCode
        self.redirected = redirected
        self.responseHTML = responseHTML
    }
}

extension VisitOptions: Codable, JavaScriptConvertible {
    private enum CodingKeys: CodingKey { case action, response, snapshotHTML }

    /// An action that is left out is `advance`, Turbo's default.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        action = try container.decodeIfPresent(VisitAction.self, forKey: .action) ?? .advance
        response = try container.decodeIfPresent(VisitResponse.self, forKey: .response)
        snapshotHTML = try container.decodeIfPresent(String.self, forKey: .snapshotHTML)
    }
}
