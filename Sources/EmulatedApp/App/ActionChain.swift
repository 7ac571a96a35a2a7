import Foundation

/// The steps that follow from one action of the user until its visit ends. The chain detects a URL that is requested
/// twice. It is a value type and does no I/O.
struct ActionChain: Sendable, Equatable {
    /// The greatest length of a chain, for a page that never ends its visits. The next step begins a new chain.
    private static let maximumLength = 100

    private(set) var links: [String] = []
    /// Advice about the last step that a developer can prevent.
    private(set) var hint: String?
    private var requested: Set<URL> = []
    private var reported: Set<URL> = []
    private var isOpen = false

    /// Adds a step to the open chain, or begins a chain.
    /// - Parameter hint: advice about the step, if it is the cause of the steps that follow.
    mutating func add(_ link: String, hint: String? = nil) {
        if !isOpen || links.count >= ActionChain.maximumLength { self = ActionChain() }
        isOpen = true
        links.append(link)
        if let hint { self.hint = hint }
    }

    /// Adds the request of a URL.
    /// - Returns: the whole chain for the second request of the URL; nil for the first one, and from the third one on.
    mutating func request(_ url: URL, _ link: String) -> [String]? {
        add(link)
        let isNew = requested.insert(url).inserted
        return isNew || !reported.insert(url).inserted ? nil : links
    }

    /// Ends the chain. The next step begins a new one.
    mutating func end() { isOpen = false }
}
