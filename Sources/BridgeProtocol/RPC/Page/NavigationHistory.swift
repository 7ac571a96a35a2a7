/// The params of `history.changed`: the back/forward list of a driven page's main frame, oldest entry first.
public struct NavigationHistory: JSONObject, Decodable, Sendable, Equatable {
    public struct Entry: JSONObject, Decodable, Sendable, Equatable {
        public fileprivate(set) var url: String
        public fileprivate(set) var title: String?

        /// Cuts long texts even more than the daemon would: one of them must not make the whole list too long for it.
        package init(url: String, title: String) {
            self.url = PageText.cut(url, to: PageText.repeatedURL)
            self.title = PageText.cut(title, to: PageText.repeatedURL)
        }

        public var members: JSONMembers { ["url": url, "title": title] }
    }

    /// Browsers keep 50 or 100 entries.
    public static let limit = 200

    public private(set) var entries: [Entry]
    /// The place of the entry that is shown.
    public let index: Int

    package init(entries: [Entry], index: Int) { (self.entries, self.index) = (entries, index) }

    public var members: JSONMembers { ["entries": entries, "index": index] }

    /// - Throws: `invalidParams` if there is no such entry, or if there are too many.
    init(params: JSON) throws(RPCError) {
        self = try JSON.decodeParams(Self.self, from: params)
        guard entries.count <= NavigationHistory.limit else {
            throw .invalidParams(
                at: "/entries", "expected at most \(NavigationHistory.limit) entries, found \(entries.count)")
        }
        guard entries.indices.contains(index) else {
            throw .invalidParams(at: "/index", "expected the place of one of \(entries.count) entries, found \(index)")
        }
        for place in entries.indices {
            entries[place].url = PageText.cut(entries[place].url, to: PageText.url)
            entries[place].title = entries[place].title.map { PageText.cut($0, to: PageText.title) }
        }
    }
}
