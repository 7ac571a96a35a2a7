import BridgeProtocol

/// Finds what the recorded traffic says about a page's messages.
extension Diagnosis {
    /// How long a message may wait for its reply before the doctor mentions it.
    private static let longestWait = 2.0

    /// - Parameter records: those of one page, the oldest first.
    static func messages(_ records: [JSON], at now: Timestamp) -> [Finding] {
        waiting(records, at: now) + rejected(records) + unsendable(records)
    }

    private static func waiting(_ records: [JSON], at now: Timestamp) -> [Finding] {
        let answered = Set(records.filter { $0["kind"]?.string == "reply" }.compactMap { $0["seq"]?.wholeNumber })
        let waiting = records.filter { record in
            record.outcome == "awaitingReply" && !answered.contains(record["seq"]?.wholeNumber ?? 0)
                && record.age(at: now) >= longestWait
        }
        guard let first = waiting.first else { return [] }
        let others = waiting.count > 1 ? " \(waiting.count) messages wait for replies." : ""
        return .one(
            .warning, "awaitingReply",
            "A message to \(first.handlerName) (record \(first["record"]?.wholeNumber ?? 0)) has waited "
                + "\(Int(first.age(at: now))) s for its reply.\(others)",
            fix: "Find out what the handler waits for: the page's promise is pending until it replies. A time-out for "
                + "replies is --reply-timeout, or limits.replyTimeout in Swift.")
    }

    private static func rejected(_ records: [JSON]) -> [Finding] {
        let rejected = records.filter {
            $0.outcome == "rejected" && $0["verdict"]?["reason"]?.string == "rejectedByHandler"
        }
        guard let last = rejected.last else { return [] }
        return .one(
            .warning, "rejectedByHandler",
            "A message to \(last.handlerName) was rejected: \(last["error"]?["message"]?.string ?? "no reason given")"
                + times(rejected.count, "verdict:rejected"),
            fix: "Correct the handler, or the stub, that gave this error. Do nothing if the page expects it.")
    }

    private static func unsendable(_ records: [JSON]) -> [Finding] {
        let prefix = "bridged: postMessage to "
        let texts = records.filter { $0["kind"]?.string == "console" }.compactMap { $0["text"]?.string }
            .filter { $0.hasPrefix(prefix) }
        guard let last = texts.last else { return [] }
        return .one(
            .warning, "notSent",
            "A message was not sent: " + last.dropFirst("bridged: ".count) + times(texts.count, "kind:console"),
            fix: "Leave out of the message what JSON does not have, such as functions and elements.")
    }

    /// Tells how often something came, if it came several times.
    static func times(_ count: Int, _ filter: String) -> String {
        count > 1 ? " (\(count) times; see bridged tail --filter \(filter))" : ""
    }

    // MARK: Problems without a page

    /// The problems that can be the reason why no page is attached: those of no page since a page attached for the last
    /// time, and those about the origins of pages that are attached under other names.
    ///
    /// - Parameters:
    ///   - records: the records of pages and problems, the oldest first.
    ///   - attached: the ids of the attached pages.
    static func causes(_ records: [JSON], attached: [String], at now: Timestamp) -> [Finding] {
        let lastAttach = records.lastIndex { $0["event"]?.string == "attached" } ?? -1
        let found = records.enumerated().filter { index, record in
            guard record["kind"]?.string == "problem" else { return false }
            guard let page = record["page"]?.string else { return index > lastAttach }
            return record["code"]?.string == "otherOrigin" && attached.contains(page)
        }
        return found.suffix(3).map { _, record in
            let minutes = Int(record.age(at: now) / 60)
            let age = minutes < 1 ? "" : " (\(minutes) min ago)"
            return Finding(
                .error, record["code"]?.string ?? "", (record["text"]?.string ?? "") + age,
                fix: record["hint"]?.string ?? "")
        }
    }
}

extension JSON {
    fileprivate var outcome: String? { self["verdict"]?["outcome"]?.string }

    var handlerName: String { self["handler"]?.string ?? "" }

    /// The seconds since the record's time.
    fileprivate func age(at now: Timestamp) -> Double {
        guard let time = self["time"]?.string.flatMap(Timestamp.init) else { return 0 }
        return Double(now.microseconds - time.microseconds) / 1_000_000
    }
}
