/// Finds which events of two runs are counterparts.
struct Alignment {
    /// The indexes of counterparts, ascending in the first run.
    private(set) var pairs: [(first: Int, second: Int)] = []
    /// Equal events that came in another order.
    private(set) var moved: [(first: Int, second: Int)] = []
    private(set) var onlyFirst: [Int] = []
    private(set) var onlySecond: [Int] = []

    /// The greatest number of events between the equal beginning and the equal end of which the longest common
    /// subsequence is searched, because that takes memory for the square of it.
    private static let limit = 4_000

    init(_ first: [ComparedEvent], _ second: [ComparedEvent]) {
        let (firstKeys, secondKeys) = (first.map(\.key), second.map(\.key))
        let equal = Alignment.equal(firstKeys, secondKeys)
        var (from, other) = (0, 0)
        for pair in equal + [(first.count, second.count)] {
            pairByName(first, from..<pair.first, second, other..<pair.second)
            if pair.first < first.count { pairs.append(pair) }
            (from, other) = (pair.first + 1, pair.second + 1)
        }
        pairs.sort { $0.first < $1.first }
        findMoved(firstKeys, secondKeys)
    }

    /// Compares events without an order, such as requests.
    init(unordered first: [ComparedEvent], _ second: [ComparedEvent]) {
        pairByName(first, first.indices, second, second.indices)
        pairs.sort { $0.first < $1.first }
    }

    /// The longest common subsequence, if the part in which the runs differ is not too long.
    private static func equal(_ first: [String], _ second: [String]) -> [(first: Int, second: Int)] {
        let shared = min(first.count, second.count)
        let start = (0..<shared).first { first[$0] != second[$0] } ?? shared
        let end =
            (0..<(shared - start)).first { first[first.count - 1 - $0] != second[second.count - 1 - $0] }
            ?? shared - start
        let (middle, otherMiddle) = (start..<(first.count - end), start..<(second.count - end))
        var pairs = (0..<start).map { (first: $0, second: $0) }
        if middle.count + otherMiddle.count <= limit {
            let changes = second[otherMiddle].difference(from: first[middle])
            let (removed, inserted) = (Set(offsets(changes.removals)), Set(offsets(changes.insertions)))
            let kept = middle.indices.filter { !removed.contains($0 - start) }
            let others = otherMiddle.indices.filter { !inserted.contains($0 - start) }
            pairs += zip(kept, others).map { (first: $0, second: $1) }
        }
        return pairs + (0..<end).map { (first: first.count - end + $0, second: second.count - end + $0) }
    }

    private static func offsets(_ changes: [CollectionDifference<String>.Change]) -> [Int] {
        changes.map { change in
            switch change {
            case .insert(let offset, _, _), .remove(let offset, _, _): offset
            }
        }
    }

    /// Pairs events of two ranges that have the same name, in their order.
    private mutating func pairByName(
        _ first: [ComparedEvent], _ range: Range<Int>, _ second: [ComparedEvent], _ other: Range<Int>
    ) {
        var waiting: [String: [Int]] = [:]
        for index in other.reversed() { waiting[second[index].name, default: []].append(index) }
        var taken: Set<Int> = []
        for index in range {
            if let counterpart = waiting[first[index].name]?.popLast() {
                pairs.append((index, counterpart))
                taken.insert(counterpart)
            } else {
                onlyFirst.append(index)
            }
        }
        onlySecond += other.filter { !taken.contains($0) }
    }

    /// Takes equal events out of those that only one run has.
    private mutating func findMoved(_ first: [String], _ second: [String]) {
        var waiting: [String: [Int]] = [:]
        for index in onlySecond.reversed() { waiting[second[index], default: []].append(index) }
        for index in onlyFirst {
            if let counterpart = waiting[first[index]]?.popLast() { moved.append((index, counterpart)) }
        }
        let (here, there) = (Set(moved.map(\.first)), Set(moved.map(\.second)))
        onlyFirst.removeAll(where: here.contains)
        onlySecond.removeAll(where: there.contains)
    }
}
