import BridgeProtocol
import BridgeTraffic
import Foundation

/// Asks the system's resolver whether names belong to this machine, and remembers the answers for a while. On the main
/// actor; the resolver runs elsewhere, because it may block.
///
/// Names under `.test` need this: developers point them to their machine (puma-dev, `/etc/hosts`), but the resolver of a
/// hostile network can point any of them to its own server.
@MainActor package final class LocalNames {
    /// Returns a name's addresses. It may block.
    typealias Resolver = @Sendable (String) -> [String]

    private static let keptAnswers = 64
    private static let concurrentQuestions = 4

    private struct Answer {
        /// Why the name is not this machine's; nil if it is.
        let objection: String?
        let time: ContinuousClock.Instant

        var isLocal: Bool { objection == nil }
    }

    private let deadlines: Deadlines
    private let resolver: Resolver
    /// How long an answer is valid, before the resolver is asked again.
    private let validity: Duration
    /// How long to wait for an answer.
    private let patience: Duration
    private var isLate: String { "has not answered within \(Int(patience.seconds)) s" }
    private var answers: [String: Answer] = [:]
    private var waiting: [String: [@MainActor (String?) -> Void]] = [:]
    /// The names that the resolver is looking up. A name without an entry in `waiting` has timed out.
    private var asked: Set<String> = []

    init(
        deadlines: Deadlines, resolver: @escaping Resolver = LocalNames.systemResolver,
        validity: Duration = .seconds(10), patience: Duration = .seconds(2)
    ) {
        self.deadlines = deadlines
        self.resolver = resolver
        self.validity = validity
        self.patience = patience
    }

    /// Checks that all names belong to this machine.
    /// - Parameter report: is called once, immediately if the answers are known. It gets nil if all belong to this
    ///   machine, or else one that does not, with what the resolver said.
    func check(_ names: [String], report: @escaping @MainActor (_ objection: (name: String, text: String)?) -> Void) {
        guard let name = names.first else { return report(nil) }
        check(name) { [self] objection in
            if let objection { return report((name, objection)) }
            check(Array(names.dropFirst()), report: report)
        }
    }

    private func check(_ name: String, report: @escaping @MainActor (String?) -> Void) {
        if let answer = answers[name], deadlines.now - answer.time < validity {
            return report(answer.objection)
        }
        guard asked.contains(name) || asked.count < LocalNames.concurrentQuestions else {
            // A client that asks for many other names must not cause the refusal of a name that was this machine's
            // before.
            return report(answers[name]?.isLocal == true ? nil : "is busy with other names")
        }
        // The resolver has not answered about this name in time. Another wait would only delay the refusal.
        guard !asked.contains(name) || waiting[name] != nil else { return report(isLate) }
        waiting[name, default: []].append(report)
        guard asked.insert(name).inserted else { return }
        deadlines.schedule(after: patience) { [weak self, isLate] in self?.answer(name, isLate) }
        Thread.detachNewThread { [resolver] in
            let addresses = resolver(name)
            DispatchQueue.main.async { MainActor.assumeIsolated { [weak self] in self?.resolved(name, addresses) } }
        }
    }

    private func resolved(_ name: String, _ addresses: [String]) {
        asked.remove(name)
        let other = addresses.first { !($0.hasPrefix("127.") || $0 == "::1") }
        let objection = addresses.isEmpty ? "does not know it" : other.map { "says that it is \($0)" }
        if answers.count >= LocalNames.keptAnswers, answers[name] == nil {
            answers = answers.filter { $0.value.isLocal }
            if answers.count >= LocalNames.keptAnswers { answers = [:] }
        }
        answers[name] = Answer(objection: objection, time: deadlines.now)
        answer(name, objection)
    }

    private func answer(_ name: String, _ objection: String?) {
        for report in waiting.removeValue(forKey: name) ?? [] { report(objection) }
    }

    /// Returns the addresses that `getaddrinfo` finds.
    package nonisolated static func systemResolver(_ name: String) -> [String] {
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name, nil, nil, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        return sequence(first: list, next: { $0?.pointee.ai_next }).compactMap { entry in
            entry.flatMap { PeerAddress.text(of: $0.pointee.ai_addr) }
        }
    }
}

extension Refusal {
    /// - Parameter objection: what the resolver said about the name.
    static func nameNotLocal(_ objection: (name: String, text: String)) -> Refusal {
        Refusal(
            code: .originNotAllowed,
            text:
                "The name '\(objection.name.forText)' is not this machine's: the system's resolver \(objection.text).",
            hint:
                "If the name is yours, start the daemon with \(setting("allow-origin", "allowedOrigins", "http://\(objection.name.forText):*"))."
        )
    }
}
