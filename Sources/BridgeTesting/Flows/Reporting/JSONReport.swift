import BridgeProtocol

enum JSONReport {
    static func text(_ results: [FlowResult]) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("tests", results.count)
            writer.member("failed", results.count { $0.failure != nil })
            writer.member("skipped", results.count { $0.skipped != nil })
            writer.member("flaky", results.count(where: \.isFlaky))
            writer.member("flows", results.map(ReportedFlow.init))
        }
        return writer.text + "\n"
    }
}

/// A result as JSON.
private struct ReportedFlow: JSONWritable {
    let result: FlowResult

    func write(to writer: inout JSONWriter) {
        let failures = [result.failure].compactMap(\.self) + result.laterFailures
        writer.object { writer in
            writer.member("name", result.flow.name)
            writer.member("file", result.flow.file)
            writer.member("tags", result.flow.tags)
            writer.member("row", ifPresent: result.flow.row)
            writer.member("browser", result.browserName)
            writer.member("device", ifPresent: result.device?.description)
            writer.member("framework", ifPresent: result.framework?.name)
            writer.member("app", ifPresent: result.app)
            writer.member("binary", ifPresent: result.binary)
            writer.member("status", status)
            writer.member("reason", ifPresent: result.skipped)
            writer.member("milliseconds", result.duration.milliseconds.rounded())
            writer.member("failures", failures.map(json))
            writer.member("earlierRuns", result.earlier.map { $0.failure.map(json) ?? .null })
            writer.member("findings", result.findings)
            writer.member("notes", result.notes)
            writer.member("skippedSteps", result.skippedSteps.map(json))
            if case .written(let path) = result.trace { writer.member("trace", path) }
        }
    }

    private var status: String {
        if result.failure != nil { return "failed" }
        if result.skipped != nil { return "skipped" }
        return result.isFlaky ? "flaky" : "passed"
    }

    private func json(_ skipped: SkippedStep) -> JSONValue {
        .object(json(ofStep: skipped.number) + [.init("reason", .string(skipped.reason))])
    }

    private func json(ofStep number: Int) -> [JSONValue.Member] {
        guard result.flow.steps.indices.contains(number - 1) else { return [] }
        let step = result.flow.steps[number - 1]
        return [
            .init(
                "step",
                [
                    "number": .number(Double(number)), "file": .string(step.origin.file),
                    "line": .number(Double(step.line)), "text": .string(step.text),
                    "runBy": .array(step.origin.callers.map(JSONValue.string)),
                ])
        ]
    }

    private func json(_ failure: FlowFailure) -> JSONValue {
        var members = failure.step.map { json(ofStep: $0.number) } ?? []
        members += [.init("expected", .string(failure.expected)), .init("found", .string(failure.found))]
        return .object(members)
    }
}
