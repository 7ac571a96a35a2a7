/// Finds the entries of a cassette that answer messages, and remembers which were used. This type does no I/O.
public struct CassettePlayer: Sendable {
    public let cassette: Cassette
    /// How often each entry was used.
    private var uses: [Int]
    /// The entry whose turn it is, if messages come as they were recorded.
    private var next = 0
    private let indices: [Cassette.Receiver: [Int]]
    /// The handlers, and whether they reply.
    public let handlers: [String: Bool]
    public let components: Set<String>
    /// The methods of each interface object.
    public let methods: [String: Set<String>]

    public enum Outcome: Sendable {
        /// - Parameter number: that of the entry, from 1.
        case entry(number: Int, Cassette.Entry)
        case missing(Miss)
    }

    /// Why no entry answers a message.
    public enum Miss: Sendable, Equatable {
        case unknown
        /// All entries that fit were used already. The number of the last one, from 1.
        case usedUp(Int)
        /// The entry that fits has another place in the order.
        /// - Parameter turnOf: the entry whose turn it is; nil if all were used.
        case notItsTurn(Int, turnOf: Int?)
    }

    public init(_ cassette: Cassette) {
        self.cassette = cassette
        uses = cassette.entries.map { _ in 0 }
        indices = Dictionary(grouping: cassette.entries.indices) { cassette.entries[$0].receiver }
        var handlers: [String: Bool] = [:]
        var components: Set<String> = []
        var methods: [String: Set<String>] = [:]
        for entry in cassette.entries {
            switch entry.receiver {
            case .handler(let name): handlers[name] = handlers[name, default: false] || entry.reply.answers
            case .component(let name, _): components.insert(name)
            case .method(let name, let object): methods[object, default: []].insert(name)
            }
        }
        (self.handlers, self.components, self.methods) = (handlers, components, methods)
    }

    /// Finds the entry that answers a message, and counts its use.
    public mutating func take(_ message: Cassette.Message) -> Outcome {
        let content = message.content
        let fitting = indices[message.receiver, default: []].filter {
            cassette.entries[$0].pattern.fits(message, content)
        }
        let found: Int?
        switch cassette.order {
        case .any:
            found = fitting.first { uses[$0] == 0 } ?? (cassette.repeats ? fitting.last : nil)
        case .recorded:
            found = fitting.contains(next) ? next : cassette.repeats ? fitting.last { $0 < next } : nil
            if found == next { next += 1 }
        }
        guard let found else { return .missing(miss(fitting)) }
        uses[found] += 1
        return .entry(number: found + 1, cassette.entries[found])
    }

    /// Notes that something else answers a message, such as a stub. If messages come as they were recorded, and it is its
    /// entry's turn, that of the next one follows.
    public mutating func pass(_ message: Cassette.Message) {
        guard cassette.order == .recorded, cassette.entries.indices.contains(next) else { return }
        let entry = cassette.entries[next]
        guard entry.receiver == message.receiver, entry.pattern.fits(message, message.content) else { return }
        uses[next] += 1
        next += 1
    }

    /// Begins again, as if no message had come.
    public mutating func rewind() {
        uses = cassette.entries.map { _ in 0 }
        next = 0
    }

    private func miss(_ fitting: [Int]) -> Miss {
        if let later = fitting.first(where: { uses[$0] == 0 }) {
            return .notItsTurn(later + 1, turnOf: uses.indices.contains(next) ? next + 1 : nil)
        }
        return fitting.last.map { .usedUp($0 + 1) } ?? .unknown
    }
}

// MARK: Verdicts

extension ProblemCode {
    /// A cassette answers for the handler, component or object, and does not have the message.
    public static let notInCassette = Self("notInCassette", page: "notes/cassettes.md")
}

extension CassettePlayer {
    /// The verdict on a message that no entry answers: it names the nearest entry, and what is different.
    /// - Parameter message: the message without its secrets.
    public func verdict(on message: Cassette.Message, _ miss: Miss) -> Verdict {
        switch miss {
        case .unknown: unknown(message)
        case .usedUp(let number):
            Verdict(
                .dropped, reason: .notInCassette,
                expected: "no more such messages than \(cassette.name) has, the last one in \(place(number))",
                found: "one more",
                hint: "\(cassette.name) has repeats: false. Remove that, or add an entry for each message.")
        case .notItsTurn(let number, let turn):
            Verdict(
                .dropped, reason: .notInCassette,
                expected: turn.map { "the message of \(place($0)) next: \(cassette.entries[$0 - 1].receiver)" }
                    ?? "no more messages",
                found: "that of \(place(number))",
                hint: "\(cassette.name) has order: recorded. With order: any, messages may come in another order.")
        }
    }

    /// Where an entry is, such as `phone.yml:14`.
    private func place(_ number: Int) -> String {
        cassette.entries[number - 1].line.map { "\(cassette.name):\($0)" } ?? "entry \(number) of \(cassette.name)"
    }

    private static let advice =
        "Record it again, or change the entry: a match instead of the body takes every message that contains it."

    private func unknown(_ message: Cassette.Message) -> Verdict {
        guard let (number, differences) = nearest(to: message) else { return unknownReceiver(message.receiver) }
        let hint = "The nearest entry is \(place(number))"
        guard let first = differences.first else {
            return Verdict(
                .dropped, reason: .notInCassette, expected: "a message as in \(place(number))",
                found: "one with another secret", hint: "\(hint). \(CassettePlayer.advice)")
        }
        let others = differences.dropFirst().prefix(5).map {
            "\($0.place): recorded \(shortened($0.recorded, to: 100)), found \(shortened($0.now, to: 100))"
        }
        let more = others.isEmpty ? "" : " Also different: \(others.joined(separator: "; "))."
        return Verdict(
            .dropped, reason: .notInCassette,
            expected: "\(shortened(first.recorded, to: 200)) as in \(place(number))",
            found: shortened(first.now, to: 200),
            at: first.place.description, hint: "\(hint).\(more) \(CassettePlayer.advice)")
    }

    /// The entry of the same receiver with the fewest differences; of several, the one whose value is spelt most alike.
    private func nearest(to message: Cassette.Message) -> (number: Int, differences: [JSONDifference])? {
        let all = indices[message.receiver, default: []].map { (number: $0 + 1, differences: differences($0, message)) }
        let fewest = all.map(\.differences.count).min()
        let nearest = all.filter { $0.differences.count == fewest }
        let values = nearest.compactMap(\.differences.first?.recorded)
        let alike = nearest.first?.differences.first.flatMap { EditDistance.nearest(to: $0.now, in: values) }
        return nearest.first { $0.differences.first?.recorded == alike } ?? nearest.first
    }

    /// The differences between an entry and a message, with their places in the message's body.
    private func differences(_ index: Int, _ message: Cassette.Message) -> [JSONDifference] {
        switch cassette.entries[index].pattern {
        case .anything: return []
        case .containing(let subset):
            let pattern = JSONValue(subset.json)
            return JSONDifference.between(pattern, message.body.plain.limited(to: pattern), ignoring: [])
        case .exactly(let recorded):
            let differences = JSONValue.differences(recorded: recorded, now: message.content)
            guard case .component = message.receiver else { return differences }
            return differences.map {
                JSONDifference(
                    place: JSONPointer(tokens: ["data"] + $0.place.tokens), recorded: $0.recorded, now: $0.now)
            }
        }
    }

    private func unknownReceiver(_ receiver: Cassette.Receiver) -> Verdict {
        let beside = cassette.entries.map(\.receiver).filter { $0.isBeside(receiver) }
        let (names, found, at): ([String], String, String?) =
            switch receiver {
            case .handler(let name): (handlers.keys.sorted(), name, "/handler")
            case .component(_, let event):
                (beside.compactMap { if case .component(_, let event) = $0 { event } else { nil } }, event, "/event")
            case .method(let name, let object): (methods[object, default: []].sorted(), name, nil)
            }
        let known = names.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        let nearest = EditDistance.nearest(to: found, in: known).map { "Did you mean \(quoted($0))? " } ?? ""
        return Verdict(
            .dropped, reason: .notInCassette, expected: "\(known.joined(separator: ", ")) as in \(cassette.name)",
            found: quoted(found), at: at, hint: "\(nearest)Record it, or add an entry for \(receiver).")
    }
}
