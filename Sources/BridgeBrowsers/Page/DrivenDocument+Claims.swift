import BridgeProtocol

/// What a document says about itself, beside what the browser knows. A page might speak to the driver in place of
/// `web/driven.js`.
extension DrivenDocument {
    func checked(_ claimed: DrivenPage.Introduction, in world: ScriptWorld) -> DrivenPage.Introduction {
        var introduction = claimed
        introduction.isMainFrame = frame.isMainFrame
        introduction.origin = world.origin ?? Origin.of(frame.url)
        if !isOwn(claimed.url, in: world) { introduction.url = frame.url }
        return introduction
    }

    /// Whether the document may have a URL: that which the browser shows, or another one of its origin (`pushState`).
    func isOwn(_ url: String, in world: ScriptWorld) -> Bool {
        if url.isSameDocument(as: frame.url) { return true }
        // A window has such a document before the browser says what it shows.
        if ["", "about:blank", "about:srcdoc"].contains(url) { return true }
        guard let origin = world.origin, origin.hasPrefix("http") else { return false }
        return url == origin || url.hasPrefix("\(origin)/")
    }
}
