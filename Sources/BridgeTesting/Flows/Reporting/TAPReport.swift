import BridgeProtocol
import BridgeTraffic

enum TAPReport {
    static func text(_ result: FlowResult, number: Int) -> String {
        let title = "\(number) - \(result.title) (\(result.place))".replacing("#", with: "\\#")
        if let reason = result.skipped { return "ok \(title) # SKIP \(TerminalText.escape(reason))\n" }
        let flaky = result.isFlaky ? ["flaky: passed in run \(result.earlier.count + 1)"] : []
        let notes = result.noteLines.map { "note: \($0)" }
        let skipped = result.skippedLines.map { "skipped: \($0)" }
        let findings = (result.findingLines.map { "finding: \($0)" } + notes + skipped + flaky + result.earlierLines)
            .map { "# \($0)\n" }.joined()
        guard let failure = result.failure else { return "ok \(title)\n\(findings)" }
        // The block is YAML. A JSON string is also a YAML string.
        var lines = [
            "not ok \(title)", "  ---", "  at: \(failure.place(in: result.flow).text)",
            "  expected: \(failure.lines.expected.text)", "  found: \(failure.lines.found.text)",
        ]
        if !result.laterLines.isEmpty { lines.append("  after: \(result.laterLines.joined(separator: "; ").text)") }
        if let trace = result.trace?.text { lines.append("  trace: \(trace.text)") }
        // The indentation is given, because the log may begin with spaces.
        lines.append("  log: |2")
        lines += failure.log.map { "    \($0)" }
        lines.append("  ...")
        return lines.joined(separator: "\n") + "\n" + findings
    }

    static func end(_ results: [FlowResult]) -> String {
        FlowDifference.all(in: results).flatMap { difference in
            ["\(difference.results[0].title) differs (\(difference.results[0].engine))"] + difference.lines
        }.map { "# \($0)\n" }.joined()
    }
}
