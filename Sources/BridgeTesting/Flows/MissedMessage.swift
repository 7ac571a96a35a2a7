import BridgeProtocol
import BridgeTraffic

/// Says what came in place of a message that a step expects. Of the messages with its handler and name it says how they
/// differ.
struct MissedMessage {
    struct Candidate {
        let number: Int
        let handler: String
        let name: String?
        let verdict: Verdict.Outcome?
        let body: ScriptValue

        /// - Returns: nil if the record is not a message.
        init?(_ json: JSON) {
            guard let record = TrafficRecord(json: json),
                case .message(let handler, let name, let body, _, let verdict) = record.event
            else { return nil }
            (number, self.handler, self.name) = (record.record, handler, name)
            (self.verdict, self.body) = (verdict.outcome, body)
        }
    }

    let pattern: Flow.MessagePattern
    /// All messages, the oldest first.
    let came: [Candidate]

    /// How many messages are shown that have the expected handler and name, and how many others.
    private static let (alikeShown, othersShown) = (3, 5)
    private static let differencesShown = 5

    var text: String {
        let alike = came.filter { pattern.isSameKind($0) }.suffix(MissedMessage.alikeShown)
        return alike.isEmpty ? "none came\(others)" : alike.map(text(ofAlike:)).joined(separator: "; ")
    }

    private func text(ofAlike message: Candidate) -> String {
        let differences = pattern.differences(from: message)
        let shown = differences.prefix(MissedMessage.differencesShown).joined(separator: ", ")
        let rest = differences.count - MissedMessage.differencesShown
        let fits = pattern.match.map { message.body.contains(subset: $0) } ?? true
        let why =
            differences.isEmpty
            ? fits ? pattern.othersHaveIt : "it does not fit" : shown + (rest > 0 ? ", and \(rest) more" : "")
        return "record \(message.number) has \(message.body.json): \(why)"
    }

    private var others: String {
        guard !came.isEmpty else { return "" }
        let list = came.suffix(MissedMessage.othersShown).map {
            "record \($0.number) to \($0.handler) has \($0.body.json)"
        }
        return "; \(nearestName)these came: \(list.joined(separator: ", "))"
    }

    private var nearestName: String {
        let handler = came.contains { $0.handler == pattern.handler } ? nil : pattern.handler
        let nearest =
            handler.flatMap { EditDistance.nearest(to: $0, in: came.map(\.handler)) }
            ?? pattern.name.flatMap { EditDistance.nearest(to: $0, in: came.compactMap(\.name)) }
        return nearest.map { "did you mean \($0)? " } ?? ""
    }
}

extension Flow.MessagePattern {
    fileprivate func isSameKind(_ message: MissedMessage.Candidate) -> Bool {
        let component = match?["component"]
        return (handler == nil || handler == message.handler) && (name == nil || name == message.name)
            && (component == nil || component == message.body["component"])
            && (handler != nil || name != nil || component != nil)
    }

    /// What keeps a message from being the expected one, without what its reply would say.
    fileprivate func differences(from message: MissedMessage.Candidate) -> [String] {
        var differences: [String] = []
        if let verdict, !isAboutReply, let found = message.verdict, ![verdict, .observed].contains(found) {
            differences.append("its verdict is \(found.rawValue)")
        }
        guard let match, !message.body.contains(subset: match) else { return differences }
        let wanted = JSONValue(match.json)
        return differences
            + JSONDifference.between(wanted, message.body.plain.limited(to: wanted), ignoring: []).map {
                "\($0.place.tokens.isEmpty ? "the body" : $0.place.description) is \(shortened($0.now, to: 100)) and not \(shortened($0.recorded, to: 100))"
            }
    }

    /// Why a message is not the expected one although it fits.
    fileprivate var othersHaveIt: String {
        isAboutReply ? "its reply is not \(verdict?.rawValue ?? "")" : "an earlier step has counted it"
    }
}
