import BridgeProtocol
import DequeModule

/// The pages of every document that the daemon knows.
///
/// Pages that have gone stay for a while, because their beacons may still arrive. Lookups for a message or an attaching
/// page take the same time however many pages there are.
@MainActor struct PageRegistry {
    /// The maximum number of pages that stay after they have gone.
    private static let departedLimit = 256

    /// The pages that are attached or away, oldest first.
    var pages: [Page] { present.pages }
    /// How many pages there have been in this run of the daemon.
    private(set) var count = 0
    private var present = PageList()
    /// The present pages of main frames, by their web views.
    private var mainPages: [String: PageList] = [:]
    /// The pages of each web view that wait for a connection.
    private var away: [String: PageList] = [:]
    /// The pages that wait for their first connection.
    private var unconnected = PageList()
    /// The latest pages that have gone, in the order in which they went.
    private var departed: Deque<Page> = []
    private var byDocument: [String: Page] = [:]

    // MARK: Look-up

    var departedCount: Int { departed.count }

    /// The page of a document that is attached or away.
    func page(of document: String) -> Page? {
        byDocument[document].flatMap { $0.state.presence == .gone ? nil : $0 }
    }

    /// The page of a document that is attached, away or gone.
    func latestPage(of document: String) -> Page? { byDocument[document] }

    /// The page with this id, which is attached or away.
    func page(withID id: String) -> Page? {
        // In a cluster, an id begins with the node's name and a dot.
        let own = id.split(separator: ".").last ?? ""
        guard own.first == "p", let page = Int(own.dropFirst()).flatMap({ present[$0] }) else { return nil }
        return page.id == id ? page : nil
    }

    /// The newest attached page of a main frame in a web view that matches.
    func mainPage(of webView: String, where matches: (Page) -> Bool = { _ in true }) -> Page? {
        mainPages[webView]?.pages.last { $0.isAttached && matches($0) }
    }

    /// The page that a device shows: of the attached ones the newest that is visible, or else the newest.
    func page(ofDevice id: String, where matches: (Page) -> Bool = { _ in true }) -> Page? {
        let attached = pages.filter { $0.deviceID == id && $0.frame.isMainFrame && $0.isAttached && matches($0) }
        return attached.last { $0.visibility != "hidden" } ?? attached.last
    }

    /// The newest page of a device, which may have gone.
    func latestPage(ofDevice id: String) -> Page? {
        pages.last { $0.deviceID == id } ?? departed.last { $0.deviceID == id }
    }

    /// The attached pages of main frames in a web view, the newest first.
    func attachedPages(of webView: String) -> [Page] {
        mainPages[webView]?.pages.reversed().filter(\.isAttached) ?? []
    }

    /// The pages of a web view that wait for a connection, oldest first.
    func awayPages(of webView: String) -> [Page] { away[webView]?.pages ?? [] }

    // MARK: Changes

    /// Adds a page. A document that had one before, for example one that comes back from the back/forward cache, continues
    /// its message numbers.
    mutating func add(_ attach: AttachPage, _ identity: PageIdentity, in documents: Documents) -> Page {
        count += 1
        let page = Page(number: count, attach, identity, before: byDocument[attach.document], in: documents)
        present.insert(page)
        if attach.frame.isMainFrame { mainPages[page.webView, default: PageList()].insert(page) }
        byDocument[page.document] = page
        return page
    }

    /// Notes whether a page waits for a connection.
    mutating func setAway(_ isAway: Bool, _ page: Page) {
        if !isAway { unconnected.remove(page) }
        PageRegistry.change(&away, page.webView) { isAway ? $0.insert(page) : $0.remove(page) }
    }

    /// Notes that a page waits for its first connection.
    mutating func addUnconnected(_ page: Page) { unconnected.insert(page) }

    var unconnectedCount: Int { unconnected.pages.count }
    var oldestUnconnected: Page? { unconnected.pages.first }

    mutating func depart(_ page: Page) {
        present.remove(page)
        setAway(false, page)
        PageRegistry.change(&mainPages, page.webView) { $0.remove(page) }
        departed.append(page)
        guard departed.count > PageRegistry.departedLimit, let forgotten = departed.popFirst() else { return }
        if byDocument[forgotten.document] === forgotten { byDocument[forgotten.document] = nil }
    }

    private static func change(_ lists: inout [String: PageList], _ key: String, _ change: (inout PageList) -> Void) {
        change(&lists[key, default: PageList()])
        if lists[key]?.pages.isEmpty == true { lists[key] = nil }
    }
}

/// Pages in the order of their numbers, oldest first. Finding one takes a binary search.
@MainActor struct PageList {
    private(set) var pages: [Page] = []

    subscript(_ number: Int) -> Page? {
        let index = index(of: number)
        return pages.indices.contains(index) && pages[index].number == number ? pages[index] : nil
    }

    mutating func insert(_ page: Page) {
        let index = index(of: page.number)
        if !pages.indices.contains(index) || pages[index] !== page { pages.insert(page, at: index) }
    }

    mutating func remove(_ page: Page) {
        let index = index(of: page.number)
        if pages.indices.contains(index), pages[index] === page { pages.remove(at: index) }
    }

    /// The index of the first page whose number is not below `number`.
    private func index(of number: Int) -> Int {
        // Most additions are at the end.
        if let last = pages.last, last.number < number { return pages.count }
        var (low, high) = (0, pages.count)
        while low < high {
            let middle = (low + high) / 2
            if pages[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
