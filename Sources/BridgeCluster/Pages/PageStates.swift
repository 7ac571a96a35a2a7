import BridgeServer
import BridgeTraffic

/// The part of a commit that is about one page.
struct PagePart: Sendable {
    let page: KeptPage
    var isGone = false
    private(set) var fields: [(name: String, value: [UInt8])] = []
    private(set) var removed: [String] = []

    init(_ page: KeptPage) { self.page = page }

    mutating func apply(_ change: PageChange) {
        switch change {
        case .began(let run, let origin):
            isGone = false
            set("run", "\(run)")
            set("origin", origin ?? "")
            set("page", page.page)
            remove("gone")
        case .handled(let seq): set("lastSeq", "\(seq)")
        case .asked(let id, let evaluation):
            set("lastEvaluation", "\(id)")
            set("evaluation:\(id)", evaluation)
        case .answered(let id): remove("evaluation:\(id)")
        case .replied(let seq, let reply, let dropped):
            set("reply:\(seq)", reply)
            for seq in dropped { remove("reply:\(seq)") }
        case .gone:
            isGone = true
            set("gone", "1")
        }
    }

    private mutating func set(_ name: String, _ value: String) { set(name, Array(value.utf8)) }

    private mutating func set(_ name: String, _ value: [UInt8]) {
        // Most often it is the last but a few: `lastSeq` of a page that posts much.
        if let index = fields.lastIndex(where: { $0.name == name }) { fields.remove(at: index) }
        removed.removeAll { $0 == name }
        fields.append((name, value))
    }

    private mutating func remove(_ name: String) {
        fields.removeAll { $0.name == name }
        removed.append(name)
    }

    func add(to command: inout RedisCommand) {
        command.add(page.document)
        command.add(page.epoch)
        command.add(isGone ? 1 : 0)
        command.add(fields.count)
        for (name, value) in fields {
            command.add(name)
            command.add(value)
        }
        command.add(removed.count)
        for name in removed { command.add(name) }
    }
}

/// What has changed in the states of pages since the latest commit. This type does no I/O.
struct PageStates {
    private(set) var parts: [PagePart] = []
    private var indices: [KeptPage: Int] = [:]
    /// The pages, by their ids, so that a record finds its part.
    private var pages: [String: KeptPage] = [:]

    var isEmpty: Bool { parts.isEmpty }

    mutating func note(_ change: PageChange, of page: KeptPage) {
        pages[page.page] = page
        parts[index(of: page)].apply(change)
    }

    /// The number of the part for a record, from 1; 0 if the record is about no page that has a state.
    mutating func part(ofPage id: String?) -> Int {
        guard let page = id.flatMap({ pages[$0] }) else { return 0 }
        return index(of: page) + 1
    }

    private mutating func index(of page: KeptPage) -> Int {
        if let index = indices[page] { return index }
        indices[page] = parts.count
        parts.append(PagePart(page))
        return parts.count - 1
    }

    /// Removes and returns all parts.
    mutating func take() -> [PagePart] {
        defer {
            for part in parts where part.isGone { pages[part.page.page] = nil }
            (parts, indices) = ([], [:])
        }
        return parts
    }
}
