import BridgeProtocol
import BridgeTraffic

/// Counts records, verdicts, problems and calls, for `/metrics` and `daemon.info`. On the main actor.
@MainActor final class Metrics: EventCounter {
    private struct Call: Equatable {
        let method: String
        let failed: Bool
    }

    private let records = Counter<TrafficRecord.Kind>()
    private let outcomes = Counter<Verdict.Outcome>()
    private let problems = Counter<String>()
    private let calls = Counter<Call>()
    /// The number of tools on `/control`.
    var tools = 0

    var recordCount: Int { records.total }
    var messageCount: Int { outcomes.total }
    var callCount: Int { calls.total }

    func count(_ event: TrafficRecord.Event) {
        records.add(event.kind)
        switch event {
        case .message(_, _, _, _, let verdict):
            switch verdict.outcome {
            // A message with a reply is counted when the reply is recorded.
            case .awaitingReply, .replied, .rejected: break
            default: outcomes.add(verdict.outcome)
            }
        case .reply(_, _, _, _, let verdict): outcomes.add(verdict.outcome)
        case .problem(let code, _, _, _, let count): problems.add(code, times: count ?? 1)
        default: break
        }
    }

    /// - Parameter method: a method that exists, or `unknown`, because a Prometheus label should have few values.
    func countCall(_ method: String, failed: Bool) {
        calls.add(Call(method: method, failed: failed))
    }

    /// The counters in the Prometheus text format: https://prometheus.io/docs/instrumenting/exposition_formats/
    var text: String {
        counter("records", "Traffic records.", records) { "kind=\"\($0.rawValue)\"" }
            + counter(
                "messages", "Messages that pages posted, by how they ended; a reply counts when it is given.", outcomes
            ) { "outcome=\"\($0.rawValue)\"" }
            + counter("problems", "Problems that were recorded.", problems) { "code=\"\($0)\"" }
            + counter("calls", "Calls of the control channel; failed ones have a status of their own.", calls) {
                "method=\"\($0.method)\",status=\"\($0.failed ? "error" : "ok")\""
            }
    }

    private func counter<Key>(
        _ name: String, _ help: String, _ counter: Counter<Key>, _ labels: (Key) -> String
    ) -> String {
        let samples = counter.counts.map { (labels: labels($0.key), value: Double($0.count)) }
            .sorted { $0.labels < $1.labels }
        return Metrics.family("bridged_\(name)_total", help, "counter", samples)
    }

    static func family(
        _ name: String, _ help: String, _ type: String, _ samples: [(labels: String, value: Double)]
    ) -> String {
        let lines = samples.map { "\(name)\($0.labels.isEmpty ? "" : "{\($0.labels)}") \($0.value)\n" }
        return "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n" + lines.joined()
    }
}
