/// What a page must have done before a wait for it ends.
public enum PageReadiness: String, Sendable, CaseIterable {
    /// Its document has attached. Its scripts may not have run yet.
    case attached
    /// Its `load` event is over. If the app visits the page with Turbo, the visit has ended, too.
    case load
}
