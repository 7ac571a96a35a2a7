import DequeModule

/// Tells phones and simulators apart whose pages are observed. On the main actor.
///
/// A device is an address, a user agent and the web view that the tag names, so the documents that follow each other in an
/// app, and its other web views, are of one device. Two simulators of one model on one machine need names in their tags.
@MainActor struct Devices {
    private struct Key: Hashable {
        /// Nil for what came by HTTP.
        let address: String?
        let userAgent: String
        let webView: String
    }

    /// How many devices are remembered. The oldest are forgotten.
    private static let limit = 1_000

    private var known: Deque<(key: Key, id: String)> = []
    private var count = 0

    /// The id of the device that shows a document: `d1`, `d2`, … in each run of the daemon.
    mutating func id(of sender: PageSender, userAgent: String, webView: String) -> String {
        let key = Key(address: sender.address, userAgent: userAgent, webView: webView)
        let found = known.last { other, _ in
            other.userAgent == userAgent && other.webView == webView
                && (key.address == nil || other.address == key.address)
        }
        if let found { return found.id }
        count += 1
        if known.count == Devices.limit { known.removeFirst() }
        known.append((key, "d\(count)"))
        return "d\(count)"
    }
}
