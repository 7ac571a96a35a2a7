enum PrettyReport {
    /// Prints nothing for a flow that is left out: a note has said so before the first result.
    static func text(_ result: FlowResult) -> String {
        guard result.skipped == nil else { return "" }
        let title = "\(result.title) (\(result.place), \(result.seconds) s)"
        let findings = result.findingLines.map { "    finding   \($0)" }
        let notes = result.noteLines.map { "    note      \($0)" }
        let skipped = result.skippedLines.map { "    skipped   \($0)" }
        let trace = findings + notes + skipped + (result.trace.map { ["    trace     \($0.text)"] } ?? [])
        let earlier = result.earlierLines.map { "    \(result.isFlaky ? "flaky   " : "before  ")  \($0)" }
        guard let failure = result.failure else {
            return (["✓ \(title)"] + trace + earlier).joined(separator: "\n") + "\n"
        }
        var lines =
            [
                "✗ \(title)", "    \(failure.place(in: result.flow))", "    expected  \(failure.lines.expected)",
                "    found     \(failure.lines.found)",
            ] + result.laterLines.map { "    after     \($0)" } + trace + earlier
        if !failure.records.isEmpty { lines.append("    the latest traffic:") }
        lines += failure.log.map { "      \($0)" }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func stepsLeftOut(in results: [FlowResult]) -> String {
        let steps = results.reduce(0) { $0 + $1.skippedSteps.count }
        return steps == 0 ? "" : " \(steps) \(steps == 1 ? "step was" : "steps were") skipped."
    }

    static func end(_ results: [FlowResult]) -> String {
        let skipped = results.count { $0.skipped != nil }
        let count = results.count - skipped
        let failed = results.count { $0.failure != nil }
        let missing = results.count { !$0.hasBegun }
        let differences = FlowDifference.all(in: results).flatMap { difference in
            ["≠ \(difference.results[0].title) (\(difference.results[0].engine))"]
                + difference.lines.map { "    \($0)" }
        }
        let flaky = results.count(where: \.isFlaky)
        let ending =
            (missing == 0 ? "" : ", of which \(missing) did not begin")
            + (flaky == 0 ? "." : "; \(flaky) passed only when it ran again (flaky).")
            + stepsLeftOut(in: results)
            + (skipped == 0 ? "" : " \(skipped) \(skipped == 1 ? "was" : "were") left out.")
        return differences.map { "\($0)\n" }.joined()
            + (failed == 0 ? "\(count) passed" : "\(failed) of \(count) failed") + ending + "\n"
    }
}
