import Foundation

/// The origin of a document (RFC 6454), from its URL.
package enum Origin {
    package static func of(_ url: String) -> String { of(url, with: []) }

    /// - Parameter schemes: those for which native code answers, whose documents have origins, too.
    package static func of(_ url: String, with schemes: [String]) -> String {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(),
            (["http", "https"] + schemes).contains(scheme), let host = parts.host?.lowercased()
        else { return "null" }
        let isDefault = parts.port == nil || parts.port == ["http": 80, "https": 443][scheme]
        return "\(scheme)://\(host)\(isDefault ? "" : ":\(parts.port ?? 0)")"
    }
}

extension String {
    /// Whether two URLs are of one document: they differ in their fragments at most.
    package func isSameDocument(as other: String) -> Bool { prefix { $0 != "#" } == other.prefix { $0 != "#" } }
}
