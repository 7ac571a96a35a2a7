import BridgeProtocol

enum TAPReport {
    static func text(_ result: FlowResult, number: Int) -> String {
        let title = "\(number) - \(result.title) (\(result.engine))".replacing("#", with: "\\#")
        guard let failure = result.failure else { return "ok \(title)\n" }
        // JSON strings are YAML, too.
        var lines = [
            "not ok \(title)", "  ---", "  at: \(failure.place(in: result.flow).text)",
            "  expected: \(failure.expected.text)", "  found: \(failure.found.text)", "  log: |",
        ]
        lines += failure.log.map { "    \($0)" }
        lines.append("  ...")
        return lines.joined(separator: "\n") + "\n"
    }
}
