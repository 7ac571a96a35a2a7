import BridgeProtocol
import BridgeTraffic

/// Waiting for the messages that flows expect.
extension Flow.MessagePattern {
    /// The outcomes that a message gets only with its reply, whose record has them.
    private static let outcomesOfReplies: Set<Verdict.Outcome> = [.replied, .rejected, .timedOut, .pageGone]

    /// Whether the verdict is one that a message gets with its reply.
    var isAboutReply: Bool { verdict.map(Flow.MessagePattern.outcomesOfReplies.contains) ?? false }

    /// The replies whose messages fit; nil if the messages themselves have the verdict.
    private var replies: TrafficFilter? {
        guard let verdict, isAboutReply else { return nil }
        return filter([.init(.kind, "reply"), .init(.verdict, verdict.rawValue)])
    }

    /// The messages that fit, whatever their replies are.
    var messages: TrafficFilter {
        let terms = [
            TrafficFilter.Term(.kind, "message"), name.map { TrafficFilter.Term(.name, $0) },
            replies == nil ? verdict.map { TrafficFilter.Term(.verdict, $0.rawValue) } : nil,
        ]
        return filter(terms.compactMap(\.self))
    }

    private func filter(_ terms: [TrafficFilter.Term]) -> TrafficFilter {
        TrafficFilter(terms + (handler.map { [TrafficFilter.Term(.handler, $0)] } ?? []))
    }

    private func fits(_ message: StoredRecord) -> Bool {
        messages.matches(message) && (match.map { message.payload.contains(subset: $0) } ?? true)
    }

    /// Returns the earliest message that fits and that no earlier call returned, or waits for one.
    @MainActor func next(in app: BridgedApp, within timeout: Duration?) async throws -> StoredRecord {
        let what = "a message \(self)"
        guard let replies else { return try await app.nextRecord(messages, match: match, what, within: timeout) }
        return try await app.next(replies, what, within: timeout) { reply in
            guard let message = message(of: reply, in: app.server.traffic), fits(message),
                app.taken.insert(message.number).inserted
            else { return nil }
            return message
        }
    }

    /// Fails if there is a message that fits and that no step has counted, or if one comes within the time.
    @MainActor func expectNone(in app: BridgedApp, for duration: Duration) async throws {
        let record: StoredRecord
        do { record = try await next(in: app, within: duration) } catch let failure as BridgedAppFailure
            where failure.isTimeOut
        { return }
        throw app.failure("no message \(self)", "record \(record.number) came: \(record.text)")
    }

    /// The message that a reply answers.
    @MainActor private func message(of reply: StoredRecord, in traffic: TrafficLog) -> StoredRecord? {
        guard case .reply(let handler, let seq, _, _, _) = TrafficRecord(json: reply.json)?.event else { return nil }
        let messages = traffic.query(TrafficFilter([.init(.kind, "message")]), limit: .max).records
        return messages.last { record in
            guard record.number < reply.number, record.facets.page == reply.facets.page,
                case .message(handler, _, _, seq, _) = TrafficRecord(json: record.json)?.event
            else { return false }
            return true
        }
    }
}
