import BridgeProtocol

/// A `problem` before it has a record.
struct Problem {
    let code: String
    let text: String
    let hint: String
    var page: (any TrafficPage)?
    /// The client that caused it: a page's id or an address.
    let source: String
}

/// Decides which problems get a record of their own, so that a client that makes one mistake again and again does not
/// fill the log. It counts the others, and a later record says how many there were.
///
/// Within a time window, the log has each problem of a client a few times, and a limited number of different problems
/// with the same code. This type has no clock and does no I/O.
struct RepeatedProblems {
    /// How long a window is. It begins with its first problem.
    static let window = Duration.seconds(30)
    /// How many records equal problems of one client get.
    static let equal = 5
    /// How many different texts with one code get records: those of one client, and those of all clients.
    private static let textsPerSource = 10
    static let texts = 100

    private struct Key: Hashable {
        let code: String
        let source: String?
        let text: String?
    }

    /// How many records each problem has got. The keys without a text or a source count different texts.
    private var counts: [Key: Int] = [:]
    private var begin: ContinuousClock.Instant?
    /// The problems without a record of their own, in the order in which the first of each kind came.
    private var withheld: [(problem: Problem, count: Int)] = []
    private var places: [Key: Int] = [:]

    /// Whether problems are waiting to be counted in a record.
    var isHoldingBack: Bool { !withheld.isEmpty }

    /// The time at which to call ``end()``; nil if no window is open.
    var deadline: ContinuousClock.Instant? { begin.map { $0 + Self.window } }

    /// Returns whether the problem gets a record of its own. If not, it is counted.
    mutating func admit(_ problem: Problem, at time: ContinuousClock.Instant) -> Bool {
        if let deadline, time >= deadline, !isHoldingBack { self = RepeatedProblems() }
        begin = begin ?? time
        let key = Key(code: problem.code, source: problem.source, text: problem.text)
        if let count = counts[key] {
            guard count < Self.equal else { return hold(problem, key) }
            counts[key] = count + 1
            return true
        }
        let ofSource = Key(code: problem.code, source: problem.source, text: nil)
        let ofAll = Key(code: problem.code, source: nil, text: nil)
        guard counts[ofAll, default: 0] < Self.texts else { return hold(problem, ofAll) }
        guard counts[ofSource, default: 0] < Self.textsPerSource else { return hold(problem, ofSource) }
        counts[key] = 1
        counts[ofSource, default: 0] += 1
        counts[ofAll, default: 0] += 1
        return true
    }

    private mutating func hold(_ problem: Problem, _ key: Key) -> Bool {
        if let place = places[key] {
            withheld[place].count += 1
        } else {
            places[key] = withheld.count
            withheld.append((key.text == nil ? problem.asOneOfMany(isOfOneSource: key.source != nil) : problem, 1))
        }
        return false
    }

    /// Ends the window.
    /// - Returns: the problems that got no record of their own, each with the number of times that it came.
    mutating func end() -> [(problem: Problem, count: Int)] {
        defer { self = RepeatedProblems() }
        return withheld
    }
}

extension Problem {
    /// The problem in place of several with the same code and other texts.
    fileprivate func asOneOfMany(isOfOneSource: Bool) -> Problem {
        Problem(
            code: code, text: "There were more problems with the code \(code). The first of them: \(text)", hint: hint,
            page: isOfOneSource ? page : nil, source: source)
    }
}
