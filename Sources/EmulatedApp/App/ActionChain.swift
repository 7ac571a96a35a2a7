import Foundation

/// The steps that followed from one thing the user did, until its visit ends. Detects that one URL is requested twice.
///
/// A value without I/O.
struct ActionChain: Sendable, Equatable {
    private(set) var links: [String] = []
    private var requested: Set<URL> = []
    private var reported: Set<URL> = []
    private var isOpen = false

    /// Adds a step to the open chain, or begins a chain.
    mutating func add(_ link: String) {
        if !isOpen { self = ActionChain() }
        isOpen = true
        links.append(link)
    }

    /// Adds the request of a URL.
    /// - Returns: the whole chain if it requested the URL before; nil from the third request on.
    mutating func request(_ url: URL, _ link: String) -> [String]? {
        add(link)
        let isNew = requested.insert(url).inserted
        return isNew || !reported.insert(url).inserted ? nil : links
    }

    /// Ends the chain with its visit.
    mutating func end() { isOpen = false }
}
