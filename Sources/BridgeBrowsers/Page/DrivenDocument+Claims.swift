import BridgeProtocol

/// What a document says about itself, beside what the browser knows. A page might speak to the driver in place of
/// `web/driven.js`.
extension DrivenDocument {
    func checked(_ claimed: DrivenPage.Introduction, in world: ScriptWorld) -> DrivenPage.Introduction {
        var introduction = claimed
        introduction.isMainFrame = frame.isMainFrame
        introduction.origin = world.origin ?? claimed.origin
        if !isOwn(claimed.url, in: world) { introduction.url = frame.url }
        return introduction
    }

    /// Whether the document may have a URL. A page may choose its own within its origin (`pushState`).
    func isOwn(_ url: String, in world: ScriptWorld) -> Bool {
        guard url.hasPrefix("http"), let origin = world.origin, url != origin, !url.hasPrefix("\(origin)/") else {
            return true
        }
        return !frame.url.isEmpty && url.prefix { $0 != "#" } == frame.url.prefix { $0 != "#" }
    }
}
