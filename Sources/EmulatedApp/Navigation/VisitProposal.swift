public import Foundation
public import PathConfiguration

/// How a visit enters history: Turbo's visit actions.
public enum VisitAction: String, Sendable, CaseIterable, Codable { case advance, replace, restore }

/// A URL that somebody wants to go to, with what the path configuration says of it.
public struct VisitProposal: Sendable, Equatable {
    /// Who proposes.
    public enum Source: Sendable, Equatable {
        /// Turbo in the page of the visible stack. `redirected`: the response that came with it was a redirect's.
        case page(redirected: Bool)
        /// The app's own code.
        case native
    }

    public let url: URL
    public let action: VisitAction
    public let properties: PathProperties
    public let source: Source

    public init(url: URL, action: VisitAction = .advance, properties: PathProperties, source: Source = .native) {
        self.url = url
        self.action = action
        self.properties = properties
        self.source = source
    }
}

/// What the app makes of a proposal.
public enum ProposalResult: Sendable, Equatable {
    /// A web screen.
    case accept
    /// A native screen of that class.
    case acceptCustom(String)
    /// An alert, which is no screen.
    case alert
    case reject
}
