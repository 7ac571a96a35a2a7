import Foundation

/// What followed from one thing that the user did, until its visit is over. It notices where the same URL is asked for
/// twice. A value without I/O.
struct ActionChain: Sendable, Equatable {
    private(set) var links: [String] = []
    private var requested: Set<URL> = []
    private var told: Set<URL> = []
    private var isOpen = false

    /// Something asks for a visit. It belongs to what goes on, where something does.
    mutating func add(_ link: String) {
        if !isOpen { self = ActionChain() }
        isOpen = true
        links.append(link)
    }

    /// - Returns: the whole chain, where the URL was asked for before, once for each URL.
    mutating func request(_ url: URL, _ link: String) -> [String]? {
        add(link)
        let isNew = requested.insert(url).inserted
        return isNew || !told.insert(url).inserted ? nil : links
    }

    /// Its visit is over.
    mutating func end() { isOpen = false }
}
