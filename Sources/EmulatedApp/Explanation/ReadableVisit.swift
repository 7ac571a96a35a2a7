public import BridgeProtocol
import BridgeTraffic

/// An explained visit as a text for people. It reads the JSON of ``VisitExplanation``, which comes from a daemon or a
/// trace.
public struct ReadableVisit {
    private let visit: JSON

    public init(_ visit: JSON) { self.visit = visit }

    /// The text: one line says what happened, and the lines below give the stacks, requests and so on, each with its
    /// name.
    public var text: String {
        var lines = ["\(visit["cause"]?.string ?? "")   (record \(visit["record"]?.text ?? ""))"]
        add("because", strings("why"), to: &lines)
        if let before = stacks("before"), let after = stacks("after") {
            add("stacks", before == after ? ["\(after), as before"] : ["\(before)", "→ \(after)"], to: &lines)
        }
        add("requests", requests, to: &lines)
        add("flash", visit["flash"]?.string.map { [$0] } ?? [], to: &lines)
        add("note", strings("findings"), to: &lines)
        add("elsewhere", elsewhere, to: &lines)
        return lines.map { TerminalText.escape($0) }.joined(separator: "\n")
    }

    private func add(_ name: String, _ values: [String], to lines: inout [String]) {
        for (index, value) in values.enumerated() {
            let name = index == 0 ? name : ""
            lines.append("  \(name.padding(to: 10)) \(value)")
        }
    }

    private func strings(_ key: String, of json: JSON? = nil) -> [String] {
        var strings: [String] = []
        (json ?? visit)[key]?.forEachElement { strings.append($0.string ?? "") }
        return strings
    }

    private func stacks(_ key: String) -> StackLine? {
        visit[key].map { StackLine(main: strings("main", of: $0), modal: strings("modal", of: $0)) }
    }

    private var requests: [String] {
        var lines: [(request: String, because: String)] = []
        visit["requests"]?.forEachElement { request in
            let result = request["status"]?.text ?? request["failure"]?.string ?? "no answer"
            let name = "\(request["method"]?.string ?? "") \((request["url"]?.string ?? "").pathAndQuery) → \(result)"
            lines.append((name, request["because"]?.string ?? ""))
        }
        let width = lines.map(\.request.count).max() ?? 0
        let others = visit["otherRequests"]?.wholeNumber ?? 0
        let texts = lines.map { "\($0.request.padding(to: width))   \($0.because)" }
        let rest = others > 0 ? ["and \(others) for parts of pages, such as scripts"] : []
        return texts.isEmpty && rest.isEmpty ? ["none"] : texts + rest
    }

    private var elsewhere: [String] {
        var groups: [JSON] = []
        visit["elsewhere"]?.forEachElement { groups.append($0) }
        let own = groups.first { $0["isSame"]?.bool == true }
        return groups.map { group in
            let names = strings("frameworks", of: group).joined(separator: ", ")
            guard group["isSame"]?.bool != true else { return "\(names): as here" }
            let stacks = StackLine(main: strings("main", of: group), modal: strings("modal", of: group))
            let why = strings("why", of: group).joined(separator: ", and ")
            return "\(names): \(stacks)\(visits(of: group, insteadOf: own))\(why.isEmpty ? "" : "   because \(why)")"
        }
    }

    /// The visits of releases that differ from the app only in their visits.
    private func visits(of group: JSON, insteadOf own: JSON?) -> String {
        guard let own, ["main", "modal"].allSatisfy({ strings($0, of: own) == strings($0, of: group) }) else {
            return ""
        }
        func visits(_ group: JSON) -> String {
            let visits = strings("visits", of: group).map {
                $0.split(separator: " ").map { String($0).pathAndQuery }.joined(separator: " ")
            }
            return visits.isEmpty ? "no visit" : visits.joined(separator: ", ")
        }
        return "   with \(visits(group)), and here with \(visits(own))"
    }
}

extension String {
    fileprivate func padding(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - count))
    }
}
