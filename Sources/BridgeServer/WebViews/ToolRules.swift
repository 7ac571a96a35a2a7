import BridgeProtocol

/// A rule that tools may add for the pages of one web view or of all web views: a stub or a fault.
protocol ToolRule: Sendable {
    /// The kind of rule, such as `stub`. The ids of stubs are `s1`, `s2`, … in each run of the daemon.
    static var name: String { get }
    /// Writes the members that say what the rule is.
    func writeMembers(to writer: inout JSONWriter)
}

/// The rules of one kind that tools have added, oldest first. This type does no I/O.
struct ToolRules<Rule: ToolRule>: Sendable {
    /// How many rules tools may add. Each change sends all faults, or the handlers that follow from all stubs, to the
    /// pages.
    static var limit: Int { 256 }

    struct Entry: Sendable {
        let id: String
        let rule: Rule
        /// The web view to whose pages the rule applies; nil for all web views.
        let webView: String?
        /// How often it was used.
        var hits = 0

        /// Whether the rule applies to the pages of a web view. It also applies to the windows that they open.
        /// - Parameter webView: nil for web views without a scope or rules of their own.
        func applies(to webView: String?) -> Bool { ToolRules.applies(self.webView, to: webView) }
    }

    private(set) var all: [Entry] = []
    private var count = 0

    var isFull: Bool { all.count >= ToolRules.limit }

    mutating func add(_ rule: Rule, webView: String?) -> Entry {
        count += 1
        let entry = Entry(id: "\(Rule.name.prefix(1))\(count)", rule: rule, webView: webView)
        all.append(entry)
        return entry
    }

    /// - Returns: nil if there is no such rule.
    mutating func remove(_ id: String) -> Entry? {
        guard let index = all.firstIndex(where: { $0.id == id }) else { return nil }
        return all.remove(at: index)
    }

    /// Counts a use of a rule.
    /// - Returns: the rule with its new count; nil if there is no such rule.
    mutating func use(_ id: String) -> Entry? {
        guard let index = all.firstIndex(where: { $0.id == id }) else { return nil }
        all[index].hits += 1
        return all[index]
    }

    /// The rules that apply to the pages of a web view.
    /// - Parameter webView: nil for web views without a scope or rules of their own.
    func applying(to webView: String?) -> [Entry] { all.filter { $0.applies(to: webView) } }

    /// The newest rule that applies to a web view and fits.
    func newest(for webView: String, where fits: (Rule) -> Bool) -> Entry? {
        all.last { $0.applies(to: webView) && fits($0.rule) }
    }

    /// - Parameter own: the web view of a rule; nil for all web views.
    static func applies(_ own: String?, to webView: String?) -> Bool {
        guard let own else { return true }
        return webView == own || webView.flatMap(WebViews.opener) == own
    }
}

extension ToolRules.Entry: JSONWritable {
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member(named: Rule.name, id)
            rule.writeMembers(to: &writer)
            writer.member("webView", ifPresent: webView)
            writer.member("hits", hits)
        }
    }
}
