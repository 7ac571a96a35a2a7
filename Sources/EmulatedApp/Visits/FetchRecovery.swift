/// What a session does after Turbo's own request has failed without an HTTP status. A browser reports a redirect to another
/// origin only as such a failure.
enum FetchRecovery: Sendable, Hashable {
    /// The visit fails, as in turbo-ios.
    case none
    /// A redirect to another origin is looked for, and its target proposed; see hotwire-native-ios 1.2, `RedirectHandler`.
    case redirects
    /// Without such a redirect, one cold boot is tried; see `JSFetchRecoveryHandler`.
    case redirectsAndRetry
}
