import BridgeProtocol

enum JUnitReport {
    static func text(_ results: [FlowResult]) -> String {
        let failures = results.count { $0.failure != nil }
        // The sum of what the cases say, so that a reader who adds them up finds the same.
        let milliseconds = results.reduce(0) { $0 + $1.duration.milliseconds.rounded() }
        let flaky = results.count(where: \.isFlaky)
        // As Maven Surefire, whose reports CI servers read, names them.
        let flakes = flaky == 0 ? "" : " flakes=\"\(flaky)\""
        let differences = FlowDifference.all(in: results)
        let cases = results.map { result in testCase(result, differences.first { $0.concerns(result) }) }.joined()
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites>
            <testsuite name="bridged" tests="\(results.count)" failures="\(failures)" errors="0" \
            skipped="\(results.count { $0.skipped != nil })"\(flakes) time="\(seconds(milliseconds))">
            \(cases)</testsuite>
            </testsuites>

            """
    }

    private static func testCase(_ result: FlowResult, _ difference: FlowDifference?) -> String {
        let start = """
            <testcase classname="\(escape(result.place))" name="\(escape(result.title))" file="\(escape(result.flow.file))" \
            time="\(seconds(result.duration.milliseconds.rounded()))"
            """
        if let reason = result.skipped {
            return "\(start)>\n<skipped message=\"\(escape(reason))\"/>\n</testcase>\n"
        }
        let skipped = result.skippedLines.map { "skipped: \($0)" }
        let findings = (result.findingLines + result.noteLines + skipped + attachments(of: result))
            .joined(separator: "\n")
        let output = findings.isEmpty ? "" : "<system-out>\(escape(findings))</system-out>\n"
        let runs = zip(result.earlier, result.earlierLines).map { run, line in
            let name = result.isFlaky ? "flakyFailure" : "rerunFailure"
            return "<\(name) message=\"\(escape(run.failure.map(message(of:)) ?? ""))\">\(escape(line))</\(name)>\n"
        }.joined()
        guard let failure = result.failure else {
            let content = runs + output
            return content.isEmpty ? start + "/>\n" : "\(start)>\n\(content)</testcase>\n"
        }
        let message = message(of: failure)
        let trace = result.trace.map { ["Trace: \($0.text)"] } ?? []
        let text =
            ([failure.place(in: result.flow), message] + result.laterLines + trace + (difference?.lines ?? [])
            + failure.log)
            .joined(separator: "\n")
        return
            "\(start)>\n<failure message=\"\(escape(message))\">\(escape(text))</failure>\n\(runs)\(output)</testcase>\n"
    }

    /// The form in which GitLab and Jenkins read the files that belong to a test.
    private static func attachments(of result: FlowResult) -> [String] {
        guard case .written(let path) = result.trace else { return [] }
        return ["[[ATTACHMENT|\(path)]]"]
    }

    private static func message(of failure: FlowFailure) -> String {
        "Expected \(failure.lines.expected); found \(failure.lines.found)."
    }

    private static func seconds(_ milliseconds: Double) -> String { JSONValue.number(milliseconds / 1000).text }

    /// Replaces control characters, which XML 1.0 does not allow even as references (XML 1.0, section 2.2).
    private static func escape(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n": result += "&#10;"
            case _ where scalar.value < 0x20 && scalar != "\t", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
