import Foundation

/// The text of a URL that patterns are matched against: its path, followed by `?` and the query if that takes part. It
/// never includes scheme, host or fragment.
public enum PathSubject: Sendable, Hashable {
    /// The path is percent-encoded and keeps its trailing slash; see hotwire-native-ios, `URL.pathPreservingSlash`.
    case encoded
    /// The path is decoded and has no trailing slash, as `URL.path` gives it. hotwire-native-ios read it until 1.3.
    case decoded

    func text(of url: URL, withQuery: Bool) -> String {
        let path = self == .encoded ? url.path(percentEncoded: true) : url.path
        let query = withQuery ? url.query(percentEncoded: true) : nil
        return query.map { "\(path)?\($0)" } ?? path
    }
}
