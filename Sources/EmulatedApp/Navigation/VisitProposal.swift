public import Foundation
public import PathConfiguration

/// Turbo's visit actions: how a visit changes the history.
public enum VisitAction: String, Sendable, CaseIterable, Codable { case advance, replace, restore }

/// A URL that a page or the app proposes to visit, with its properties in the path configuration.
public struct VisitProposal: Sendable, Equatable {
    /// Who makes the proposal.
    public enum Source: Sendable, Equatable {
        /// Turbo in the visible stack's page. `redirected` says whether the response that came with it was redirected.
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

/// The app's decision on a proposal.
public enum ProposalResult: Sendable, Equatable {
    /// The app shows a web screen.
    case accept
    /// The app shows a native screen of the class with that name.
    case acceptCustom(String)
    /// The app shows an alert instead of a screen.
    case alert
    case reject
}
