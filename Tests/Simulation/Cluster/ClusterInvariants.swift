import BridgeProtocol
import BridgeTraffic

/// Follows every message and every script of a simulated cluster, whichever node has the page.
@MainActor final class ClusterInvariants: Invariants {
    /// A record of a node.
    struct Place: Hashable {
        let node: String
        let record: Int
    }

    /// The messages of which the traffic has had a record.
    private(set) var entered: Set<Int> = []
    private var places: Set<Place> = []
    /// The message that asked for each script.
    private var askedBy: [Int] = []
    private var ran: [Int: Int] = [:]
    /// The number of the last message of each page in the traffic.
    private var last: [Int: Int] = [:]
    /// The messages that may be handled again, because Redis has lost the states of pages.
    private(set) var mayRepeat = 0
    /// The pages whose scripts may be given up.
    var mayForget: Set<Int> = []

    /// Redis has lost the states of pages. Until everything rests, it is not known what was handled.
    func statesAreLost() { mayRepeat = .max }

    private func mayRepeat(_ number: Int) -> Bool { number < mayRepeat }

    /// The traffic has got the record of a message.
    func entered(_ number: Int, node: String, record: Int) {
        guard messages.indices.contains(number) else { return }
        let message = messages[number]
        show?("    traffic: \(name(number)) from \(node)")
        places.insert(Place(node: node, record: record))
        if !entered.insert(number).inserted, !mayRepeat(number) {
            violate(.once, "\(name(number)) is in the traffic twice")
        }
        if message.seq <= last[message.page.number, default: 0], !mayRepeat(number) {
            violate(.order, "\(name(number)) is in the traffic after message \(last[message.page.number, default: 0])")
        }
        last[message.page.number] = message.seq
    }

    override func mustBeLogged(_ number: Int) {
        if messages.indices.contains(number), !entered.contains(number) {
            violate(.logged, "\(name(number)) is acknowledged, and was never in the traffic")
        }
    }

    override func toldPage(_ number: Int) { mustBeLogged(number) }

    override func isHandledInThisRun(_ number: Int) -> Bool { false }

    /// A handler asks for a script.
    /// - Returns: the number of the script.
    func asked(by message: Int) -> Int {
        askedBy.append(message)
        return askedBy.count - 1
    }

    override func executed(_ script: Int, on page: SimulatedPage) {
        guard askedBy.indices.contains(script) else { return }
        let message = askedBy[script]
        if messages[message].page !== page { violate(.result, "script \(script) ran in \(page.document)") }
        ran[message, default: 0] += 1
        if ran[message, default: 0] > 1, !mayRepeat(message) {
            violate(.once, "\(name(message)) led to two scripts in \(page.document)")
        }
    }

    /// Checks the log of a node that was not killed: what is in no traffic is taken back.
    func checkLog(of node: String, _ records: [Int], takenBack: Set<Int>) {
        for record in records {
            let isInTraffic = places.contains(Place(node: node, record: record))
            // If Redis has lost the number of the node's latest commit, a commit whose answer was lost is judged again.
            if isInTraffic, mayRepeat > 0 { continue }
            if isInTraffic == takenBack.contains(record) {
                violate(
                    .taken,
                    "record \(record) of \(node) is \(isInTraffic ? "in" : "not in") the traffic, and was "
                        + "\(isInTraffic ? "" : "not ")taken back")
            }
        }
    }

    /// Everything has come to rest.
    func checkRest(_ pages: [SimulatedPage]) {
        for page in pages {
            if page.state != .shown { violate(.ends, "\(page.document) was refused") }
            if !page.isAttached { violate(.ends, "\(page.document) cannot attach") }
            if let message = page.kept.first { violate(.ends, "\(name(message.number)) is never acknowledged") }
            if let message = page.waiting.first { violate(.ends, "\(name(message.number)) never gets its reply") }
        }
        for (number, message) in messages.enumerated() where message.handler == .evaluating {
            let page = message.page.number
            if ran[number] == nil, !mayRepeat(number), !mayForget.contains(page) {
                violate(.ends, "the script of \(name(number)) never ran")
            }
        }
    }
}
