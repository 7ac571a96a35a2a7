public import BridgeProtocol

/// The visit options of Turbo that the app passes on.
public struct VisitOptions: Sendable, Equatable {
    public var action: VisitAction
    /// A response that Turbo has already, such as the response to a form. The visit shows it instead of requesting the
    /// URL.
    public var response: VisitResponse?
    /// The snapshot that the visit renders first.
    public var snapshotHTML: String?

    /// The options as hotwire-native-ios passes them on: it does not know `snapshotHTML`.
    var withoutSnapshot: VisitOptions { VisitOptions(action: action, response: response) }

    public init(action: VisitAction = .advance, response: VisitResponse? = nil, snapshotHTML: String? = nil) {
        self.action = action
        self.response = response
        self.snapshotHTML = snapshotHTML
    }
}

/// A server's response that Turbo has already.
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

    /// A missing action is `advance`, Turbo's default.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        action = try container.decodeIfPresent(VisitAction.self, forKey: .action) ?? .advance
        response = try container.decodeIfPresent(VisitResponse.self, forKey: .response)
        snapshotHTML = try container.decodeIfPresent(String.self, forKey: .snapshotHTML)
    }
}
