import BridgeProtocol
import Foundation

/// Shortens the targets of redirects in the log. The page that caused the request cannot read them, and they may
/// contain secrets, such as the code of a sign-in.
extension EmulatedApp {
    /// Notes a URL that the daemon, not the browser, was redirected to.
    func noteRedirect(to url: URL) { redirects = redirects.suffix(15) + [url] }

    /// Writes the targets of redirects without their secret parts.
    func shortenRedirects(in text: String) -> String {
        redirects.reduce(text) { $0.replacing($1.absoluteString, with: $1.withoutSecrets) }
    }

    func shortenRedirects(in value: JSONValue) -> JSONValue {
        guard !redirects.isEmpty else { return value }
        return switch value {
        case .string(let text): .string(shortenRedirects(in: text))
        case .array(let elements): .array(elements.map { shortenRedirects(in: $0) })
        case .object(let members): .object(members.map { .init($0.key, shortenRedirects(in: $0.value)) })
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
