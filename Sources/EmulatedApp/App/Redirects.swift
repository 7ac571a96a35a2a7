import BridgeProtocol
import Foundation

/// The latest URLs that the daemon, not the browser, was redirected to when it asked on behalf of a page.
///
/// Their secret parts stay out of the log: the page that caused the request cannot read them, and they may contain
/// secrets, such as the code of a sign-in.
struct Redirects {
    private static let limit = 16

    private var targets: [URL] = []

    mutating func add(_ url: URL) { targets = targets.suffix(Redirects.limit - 1) + [url] }

    /// Writes the targets without their secret parts.
    func shorten(in text: String) -> String {
        targets.reduce(text) { $0.replacing($1.absoluteString, with: $1.withoutSecrets) }
    }

    func shorten(in value: JSONValue) -> JSONValue {
        guard !targets.isEmpty else { return value }
        return switch value {
        case .string(let text): .string(shorten(in: text))
        case .array(let elements): .array(elements.map { shorten(in: $0) })
        case .object(let members): .object(members.map { .init($0.key, shorten(in: $0.value)) })
        default: value
        }
    }
}

extension URL {
    /// The URL without user, password, query and fragment; `?…` stands for a query or a fragment.
    fileprivate var withoutSecrets: String {
        guard var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return "…" }
        let isShorter = components.query != nil || components.fragment != nil
        (components.user, components.password) = (nil, nil)
        (components.query, components.fragment) = (nil, nil)
        return (components.string ?? "") + (isShorter ? "?…" : "")
    }
}
