import BridgeProtocol

enum JUnitReport {
    static func text(_ results: [FlowResult]) -> String {
        let failures = results.count { $0.failure != nil }
        // The sum of what the cases say, so that a reader who adds them up finds the same.
        let milliseconds = results.reduce(0) { $0 + $1.duration.milliseconds.rounded() }
        let differences = FlowDifference.all(in: results)
        let cases = results.map { result in testCase(result, differences.first { $0.concerns(result) }) }.joined()
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites>
            <testsuite name="bridged" tests="\(results.count)" failures="\(failures)" errors="0" skipped="0" \
            time="\(seconds(milliseconds))">
            \(cases)</testsuite>
            </testsuites>

            """
    }

    private static func testCase(_ result: FlowResult, _ difference: FlowDifference?) -> String {
        let start = """
            <testcase classname="\(escape(result.place))" name="\(escape(result.title))" file="\(escape(result.flow.file))" \
            time="\(seconds(result.duration.milliseconds.rounded()))"
            """
        let findings = result.findingLines.joined(separator: "\n")
        let output = findings.isEmpty ? "" : "<system-out>\(escape(findings))</system-out>\n"
        guard let failure = result.failure else {
            return output.isEmpty ? start + "/>\n" : "\(start)>\n\(output)</testcase>\n"
        }
        let message = "Expected \(failure.lines.expected); found \(failure.lines.found)."
        let trace = result.trace.map { ["Trace: \($0.text)"] } ?? []
        let text = ([failure.place(in: result.flow), message] + trace + (difference?.lines ?? []) + failure.log)
            .joined(separator: "\n")
        return "\(start)>\n<failure message=\"\(escape(message))\">\(escape(text))</failure>\n\(output)</testcase>\n"
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
