enum PrettyReport {
    static func text(_ result: FlowResult) -> String {
        let title = "\(result.title) (\(result.place), \(result.seconds) s)"
        let findings = result.findingLines.map { "    finding   \($0)" }
        let trace = findings + (result.trace.map { ["    trace     \($0.text)"] } ?? [])
        guard let failure = result.failure else { return (["✓ \(title)"] + trace).joined(separator: "\n") + "\n" }
        var lines =
            [
                "✗ \(title)", "    \(failure.place(in: result.flow))", "    expected  \(failure.lines.expected)",
                "    found     \(failure.lines.found)",
            ] + trace
        if !failure.records.isEmpty { lines.append("    the latest traffic:") }
        lines += failure.log.map { "      \($0)" }
        return lines.joined(separator: "\n") + "\n"
    }

    static func end(_ results: [FlowResult]) -> String {
        let failed = results.count { $0.failure != nil }
        let differences = FlowDifference.all(in: results).flatMap { difference in
            ["≠ \(difference.results[0].title) (\(difference.results[0].engine))"]
                + difference.lines.map { "    \($0)" }
        }
        return differences.map { "\($0)\n" }.joined()
            + (failed == 0 ? "\(results.count) passed.\n" : "\(failed) of \(results.count) failed.\n")
    }
}
