import BridgeWebKit
import Foundation

/// Decides about a load that the page begins, after its cold boot; see hotwire-native-ios,
/// `WebViewPolicyDecisionHandler`. Of the app's handlers, the first that matches decides; a load without one is allowed.
public enum WebViewPolicyHandler: String, Sendable, CaseIterable {
    /// A reload of the page reloads the sessions.
    case reload = "reload-policy"
    /// A link that opens a window is routed.
    case newWindow = "new-window-policy"
    /// Every link is routed, and so is what a script of the page loads in the main frame.
    case externalNavigation = "external-navigation-policy"
    /// A link is cancelled.
    case linkActivated = "link-activated-policy"

    /// A load that is about to begin.
    struct Action: Sendable, Equatable {
        let url: URL
        let type: WKNavigationType
        /// Whether the load is for the main frame. If false, it is for another frame or opens a window.
        let isForMainFrame: Bool
        /// Whether the page itself has begun the load, by a script or a `<meta>` tag. False if the user has typed an
        /// address.
        var isOfScript = false
        /// Whether the request has the method POST.
        var isPost = false
    }

    enum Decision: Sendable, Equatable { case allow, cancel, route, reload }

    /// The schemes whose links lead nowhere; see `ExternalNavigationWebViewPolicyDecisionHandler.swift`.
    static let invalidSchemes: Set = ["about", "data", "file", "javascript"]

    /// - Returns: nil if the handler does not match.
    func decision(on action: Action) -> Decision? {
        let isLink = action.type == .linkActivated
        return switch self {
        case .reload where action.type == .reload && action.isForMainFrame: .reload
        case .newWindow where isLink && !action.isForMainFrame: .route
        case .externalNavigation where isLink || action.isOfScript && action.isForMainFrame:
            Self.invalidSchemes.contains(action.scheme) ? .cancel : .route
        case .linkActivated where isLink && action.isForMainFrame: .cancel
        default: nil
        }
    }
}

extension WebViewPolicyHandler.Action {
    fileprivate var scheme: String { url.scheme?.lowercased() ?? "" }
}

extension [WebViewPolicyHandler] {
    func decision(on action: WebViewPolicyHandler.Action) -> WebViewPolicyHandler.Decision {
        lazy.compactMap { $0.decision(on: action) }.first ?? .allow
    }
}
