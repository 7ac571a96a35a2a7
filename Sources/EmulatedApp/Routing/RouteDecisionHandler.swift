public import Foundation

/// Decides where a location opens; see hotwire-native-ios and -android, `RouteDecisionHandler`. Of the app's handlers, the
/// first that matches decides.
public struct RouteDecisionHandler: Sendable {
    public enum Decision: Sendable, Equatable {
        /// The location becomes a screen of the app.
        case navigate
        case open(ExternalBrowser)
        /// Nothing happens.
        case cancel
    }

    public let name: String
    let decision: Decision
    let matches: @Sendable (_ proposal: VisitProposal, _ startLocation: URL) -> Bool

    /// - Parameter matches: gets a proposal, with its action and its properties in the path configuration, and the app's
    ///   start location. Until hotwire-native-ios 1.3 and -android 1.3, handlers got the proposal's URL only.
    public init(
        _ name: String, _ decision: Decision,
        matches: @escaping @Sendable (_ proposal: VisitProposal, _ startLocation: URL) -> Bool
    ) {
        self.name = name
        self.decision = decision
        self.matches = matches
    }

    /// Leaves locations on the start location's host in the app. Scheme, port and user do not matter; a subdomain is
    /// another host.
    public static let appNavigation = RouteDecisionHandler("app-navigation", .navigate) {
        $0.url.host == $1.host
    }

    /// Opens web pages of other hosts within the app: in an SFSafariViewController on iOS, in a custom tab on Android.
    public static let safari = RouteDecisionHandler("safari", .open(.browser)) {
        ["http", "https"].contains($0.url.scheme?.lowercased()) && $0.url.host != $1.host
    }

    /// Opens everything on other hosts with the app that the system chooses.
    public static let systemNavigation = RouteDecisionHandler("system-navigation", .open(.system)) {
        $0.url.host != $1.host
    }

    /// The handlers of an app that registers none, in upstream's order.
    public static let standard = [appNavigation, safari, systemNavigation]

    /// The names that ``init(_:)`` takes. `browser-tab` is Android's name for `safari`.
    public static let names = ["app-navigation", "safari", "browser-tab", "system-navigation"]

    /// Makes a handler from a text such as `safari`, or `app-navigation=www.example.com` for locations on that host only.
    /// - Returns: nil if the text has another form or an unknown name.
    public init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let handlers = [Self.appNavigation, .safari, .safari, .systemNavigation]
        guard let index = Self.names.firstIndex(of: parts[0]), let handler = handlers[safe: index] else { return nil }
        guard parts.count == 2 else {
            self = RouteDecisionHandler(parts[0], handler.decision, matches: handler.matches)
            return
        }
        let host = parts[1].lowercased()
        guard !host.isEmpty, URL(string: "http://\(host)/")?.host == host else { return nil }
        self.init(text, handler.decision) { proposal, _ in proposal.url.host?.lowercased() == host }
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
