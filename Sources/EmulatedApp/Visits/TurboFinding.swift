import BridgeProtocol

/// A fact that `web/turbo-diagnosis.js` reports about Turbo in the page.
enum TurboFinding: Sendable, Equatable, Decodable {
    case reload(PageReload)
    case formRefused(TurboResponse)
    case serverError(TurboResponse)
    case responseLost(TurboResponse)

    private enum Kind: String, Decodable { case reload, formRefused, serverError, responseLost }
    private enum CodingKeys: CodingKey { case kind }

    init(from decoder: any Decoder) throws {
        switch try decoder.container(keyedBy: CodingKeys.self).decode(Kind.self, forKey: .kind) {
        case .reload: self = .reload(try PageReload(from: decoder).cut)
        case .formRefused: self = .formRefused(try TurboResponse(from: decoder).cut)
        case .serverError: self = .serverError(try TurboResponse(from: decoder).cut)
        case .responseLost: self = .responseLost(try TurboResponse(from: decoder).cut)
        }
    }
}

extension TurboResponse {
    /// A copy with texts of bounded length: a page chooses them, and they go into records and messages.
    fileprivate var cut: TurboResponse {
        TurboResponse(
            method: PageText.cut(method, to: PageText.word), url: PageText.cut(url, to: PageText.repeatedURL),
            statusCode: statusCode, text: text.map { PageText.cut($0, to: PageText.title) }, isShown: isShown)
    }
}

extension PageReload {
    /// How many elements of each page a finding names.
    private static let mostElements = 5

    /// A copy with texts of bounded length and number.
    fileprivate var cut: PageReload {
        func cut(_ elements: [String]) -> [String] {
            elements.prefix(PageReload.mostElements).map { PageText.cut($0, to: PageText.repeatedName) }
        }
        return PageReload(
            reason: reason.map { PageText.cut($0, to: PageText.repeatedName) }, onlyBefore: cut(onlyBefore),
            onlyAfter: cut(onlyAfter))
    }
}

/// A response that Turbo got, and that the app's user does not see as the server intended.
public struct TurboResponse: Sendable, Equatable, Decodable {
    let method: String
    let url: String
    var statusCode: Int?
    /// The beginning of the response's text.
    var text: String?
    /// Whether the page shows the response.
    var isShown: Bool?
}

/// Why Turbo has the app load a page anew.
public struct PageReload: Sendable, Equatable, Decodable {
    /// The reason as Turbo 8 names it in `turbo:reload`; nil if the page did not learn it.
    var reason: String?
    /// The HTML of the tracked elements that only one of the two pages has.
    var onlyBefore: [String] = []
    var onlyAfter: [String] = []
}

/// Why a session requests a URL again, although neither the user nor the page asked for it.
public enum RepeatedRequest: Sendable, Equatable {
    /// Turbo does not show the response, and has the app load the page instead.
    case pageReload(PageReload)
    /// Turbo's request failed without an HTTP status, so the web view loads the URL; see `FetchRecovery`.
    case requestFailed(statusCode: Int)

    /// The event as a step of an action's chain.
    var step: String {
        switch self {
        case .pageReload(let reload): "Turbo has the page reloaded (\(reload.reason ?? "without a reason"))"
        case .requestFailed(let statusCode): "Turbo's request failed (\(statusCode)), so the web view loads the URL"
        }
    }

    /// Advice on how to avoid it.
    var hint: String {
        switch self {
        case .pageReload(let reload): reload.hint
        case .requestFailed(-1): "Find out why the server took so long: Turbo's request ended without an answer."
        case .requestFailed(-2):
            "Answer with text/html, or add data-turbo=\"false\" to the link: Turbo shows nothing but HTML."
        case .requestFailed:
            """
            Find out why fetch failed: the page's console shows it. Often it is a redirect to another origin, connect-src in the \
            page's policy, a service worker, or a server that closed the connection.
            """
        }
    }
}

extension PageReload {
    fileprivate var hint: String {
        switch reason {
        case "tracked_element_mismatch":
            """
            Turbo reloads a page whose tracked elements (data-turbo-track="reload") are others than those of the page before. \
            \(differences) Give both pages the same ones, or remove data-turbo-track.
            """
        case "turbo_visit_control_is_reload":
            """
            The page has <meta name="turbo-visit-control" content="reload">. Remove it if Turbo can show the page; otherwise \
            link to the page with data-turbo="false", which requests it once.
            """
        case "turbo_disabled":
            "Turbo is disabled in the page, such as by Turbo.session.drive = false: each step back or forward loads it anew."
        case let reason?: "Turbo's reason is \(reason). See the event turbo:reload in Turbo's documentation."
        case nil:
            """
            Turbo 7 does not say why. It does so if the head's tracked elements (data-turbo-track="reload") are others than \
            before, or if the new page has <meta name="turbo-visit-control" content="reload">.
            """
        }
    }

    private var differences: String {
        let sides = [("the page before", onlyBefore), ("the new page", onlyAfter)].filter { !$0.1.isEmpty }
        guard !sides.isEmpty else { return "Here they are the same ones in another order, or those of a cached page." }
        return sides.map { "Only \($0.0) has \($0.1.joined(separator: ", "))." }.joined(separator: " ")
    }
}
