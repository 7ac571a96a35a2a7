/// How far a page must be, for the one who waits for it.
public enum PageReadiness: String, Sendable, CaseIterable {
    /// Its document has attached. Its scripts may not have run yet.
    case attached
    /// Its `load` event is over, and the app's visit of it, if the app visits it with Turbo.
    case load
}
