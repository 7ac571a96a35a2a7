public import BridgeProtocol
public import BridgeTraffic

/// Compares what two runs of an app have recorded, such as one on a phone and one here: messages, replies, calls of
/// native code, documents, visits and requests.
///
/// Origins, times, and ids that the app makes anew in each run, are no differences. Nor is how far a visit of Turbo
/// has come. The order of events of one
/// document counts, but neither that of its messages and calls to each other, nor that of two documents, nor that of
/// requests: those depend on the machine.
public struct TrafficComparison: Sendable {
    /// The differences, in the order of the first run.
    public private(set) var differences: [TrafficDifference] = []
    /// How many of each kind have been compared with a counterpart.
    public private(set) var counts: [TrafficDifference.Kind: Int] = [:]
    /// The kinds of which one run has nothing, because it cannot see them: a phone's requests and native stacks.
    public private(set) var kindsOfOneRun: [TrafficDifference.Kind] = []

    private let ignored: [JSONPointer]
    private var ids = RecordIDs()
    /// The positions of counterparts, to find the place of what only the second run has.
    private var positions: [(first: Int, second: Int)] = []

    /// - Parameter ignored: places of contents that may differ; see ``TrafficDifference/place``.
    public init(_ first: [TrafficRecord], _ second: [TrafficRecord], ignoring ignored: [JSONPointer] = []) {
        self.ignored = ignored
        let (first, second) = (ComparedRun(first), ComparedRun(second))
        comparePages(first.pages.filter(\.isCompared), second.pages.filter(\.isCompared))
        compareIfBoth(first.visits, second.visits, .visit) { Alignment($0, $1) }
        compareIfBoth(first.requests, second.requests, .request) { Alignment(unordered: $0, $1) }
        sort()
    }

    /// Whether the runs have nothing that could be compared.
    public var isEmpty: Bool { counts.values.allSatisfy { $0 == 0 } && differences.isEmpty }

    // MARK: Comparing

    /// Documents of the same path are counterparts, in their order.
    private mutating func comparePages(_ first: [ComparedPage], _ second: [ComparedPage]) {
        let pages = Alignment(unordered: first.map(\.event), second.map(\.event))
        for pair in pages.pairs {
            let (page, other) = (first[pair.first], second[pair.second])
            count(.page, page.position, other.position)
            compare(page.messages, other.messages, Alignment(page.messages, other.messages))
            compare(page.calls, other.calls, Alignment(page.calls, other.calls))
        }
        for index in pages.onlyFirst { add(only: first[index].event, isFirst: true) }
        for index in pages.onlySecond { add(only: second[index].event, isFirst: false) }
    }

    private mutating func compareIfBoth(
        _ first: [ComparedEvent], _ second: [ComparedEvent], _ kind: TrafficDifference.Kind,
        _ alignment: ([ComparedEvent], [ComparedEvent]) -> Alignment
    ) {
        guard first.isEmpty == second.isEmpty else { return kindsOfOneRun.append(kind) }
        compare(first, second, alignment(first, second))
    }

    private mutating func compare(_ first: [ComparedEvent], _ second: [ComparedEvent], _ alignment: Alignment) {
        for pair in alignment.pairs { compare(first[pair.first], second[pair.second]) }
        for pair in alignment.moved {
            let (event, other) = (first[pair.first], second[pair.second])
            count(event.kind, event.position, other.position)
            let (before, otherBefore) = (previous(first, pair.first), previous(second, pair.second))
            add(event, event.kind, JSONPointer(), event.side(before), other.side(otherBefore), isOrder: true)
        }
        for index in alignment.onlyFirst { add(only: first[index], isFirst: true) }
        for index in alignment.onlySecond { add(only: second[index], isFirst: false) }
    }

    private func previous(_ events: [ComparedEvent], _ index: Int) -> String {
        index == 0 ? "first" : "after \(events[index - 1].name)"
    }

    private mutating func compare(_ first: ComparedEvent, _ second: ComparedEvent) {
        count(first.kind, first.position, second.position)
        for difference in differences(first.content, second.content) {
            add(
                first, first.kind, difference.place, first.side(difference.recorded), second.side(difference.now))
        }
        switch (first.reply, second.reply) {
        case (let reply?, let other?):
            count(.reply, reply.position, other.position)
            for difference in differences(reply.content, other.content) {
                add(first, .reply, difference.place, reply.side(difference.recorded), other.side(difference.now))
            }
        case (let reply?, nil): add(first, .reply, JSONPointer(), reply.side(reply.content.text), nil)
        case (nil, let other?): add(first, .reply, JSONPointer(), nil, other.side(other.content.text))
        case (nil, nil): break
        }
    }

    private mutating func differences(_ first: JSONValue, _ second: JSONValue) -> [JSONDifference] {
        var ids = RecordIDs()
        swap(&ids, &self.ids)
        defer { swap(&ids, &self.ids) }
        return JSONDifference.between(first, second, ignoring: ignored) { text, other in
            if text.wholeMatch(of: ComparedEvent.uuid) != nil, other.wholeMatch(of: ComparedEvent.uuid) != nil {
                return ids.bind(text, to: other)
            }
            return ids.match(text, other)
        }
    }

    // MARK: Results

    private mutating func count(_ kind: TrafficDifference.Kind, _ first: Int, _ second: Int) {
        counts[kind, default: 0] += 1
        positions.append((first, second))
    }

    private mutating func add(only event: ComparedEvent, isFirst: Bool) {
        let side = event.side(event.content.text)
        add(event, event.kind, JSONPointer(), isFirst ? side : nil, isFirst ? nil : side)
    }

    private mutating func add(
        _ event: ComparedEvent, _ kind: TrafficDifference.Kind, _ place: JSONPointer,
        _ first: TrafficDifference.Side?, _ second: TrafficDifference.Side?, isOrder: Bool = false
    ) {
        differences.append(
            TrafficDifference(
                kind: kind, name: event.name, page: event.page, place: place, first: first, second: second,
                isOrder: isOrder))
    }

    /// Sorts the differences as the first run has them. What only the second run has follows the latest
    /// counterpart before it.
    private mutating func sort() {
        positions.sort { $0.second < $1.second }
        var latest = 0
        let latestFirst = positions.map { pair in
            latest = max(latest, pair.first)
            return latest
        }
        func place(_ difference: TrafficDifference) -> (Int, Int) {
            if let position = difference.first?.position { return (position, -1) }
            let position = difference.second?.position ?? 0
            let before = positions.partitioningIndex { $0.second >= position }
            return (before == 0 ? -1 : latestFirst[before - 1], position)
        }
        differences = differences.enumerated().map { (place($1), $0, $1) }
            .sorted { ($0.0.0, $0.0.1, $0.1) < ($1.0.0, $1.0.1, $1.1) }.map(\.2)
    }
}

extension ComparedPage {
    /// The document as an event.
    fileprivate var event: ComparedEvent {
        let content: JSONValue = [
            "messages": .number(Double(messages.count)), "calls": .number(Double(calls.count)),
        ]
        return ComparedEvent(
            kind: .page, name: RecordIDs.split(path).rest, content: content, page: path, record: record,
            position: position)
    }
}

extension ComparedEvent {
    fileprivate func side(_ text: String) -> TrafficDifference.Side {
        .init(record: record, text: text, position: position)
    }
}

extension ComparedEvent.Reply {
    fileprivate func side(_ text: String) -> TrafficDifference.Side {
        .init(record: record, text: text, position: position)
    }
}

extension RandomAccessCollection where Index == Int {
    /// The first index whose element satisfies the condition, which all elements after it satisfy, too.
    fileprivate func partitioningIndex(where condition: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
