import BridgeProtocol
import BridgeTraffic

/// A format for the results of flows.
public enum FlowReporter: String, Sendable, CaseIterable {
    /// Lines for people, written as flows end.
    case pretty
    /// TAP version 13 (testanything.org), since Perl's TAP::Harness refuses 14, written as flows end.
    case tap
    /// The XML that CI servers read, written at the end.
    case junit
    /// One JSON object for programs, written at the end.
    case json

    /// The text before the first result.
    /// - Parameter count: how many results there will be.
    public func beginning(count: Int) -> String {
        self == .tap ? "TAP version 13\n1..\(count)\n" : ""
    }

    /// The text for one result.
    /// - Parameter number: the number of the result, from 1.
    public func text(_ result: FlowResult, number: Int) -> String {
        switch self {
        case .pretty: PrettyReport.text(result)
        case .tap: TAPReport.text(result, number: number)
        case .junit, .json: ""
        }
    }

    /// The text after the last result.
    public func end(_ results: [FlowResult]) -> String {
        switch self {
        case .pretty: PrettyReport.end(results)
        case .tap: TAPReport.end(results)
        case .junit: JUnitReport.text(results)
        case .json: JSONReport.text(results)
        }
    }
}

extension FlowResult {
    /// `chromium`; `chromium, android@1.3` if flows run with several frameworks, `chromium, Demo` with an app's own Swift.
    /// The name of the app's build comes last.
    var place: String { device?.description ?? ([engine.description] + variant).joined(separator: ", ") }

    /// What the flow ran in: a browser, or the phone.
    var browserName: String { device == nil ? engine.description : "phone" }

    /// A line for each step that was left out.
    var skippedLines: [String] {
        skippedSteps.map { "\(flow.place(ofStep: $0.number)): \(TerminalText.escape($0.reason))" }
    }

    /// What distinguishes the result from others of the same flow in the same browser.
    var variant: [String] { [app ?? framework?.name, binary].compactMap(\.self) }

    /// The findings about the app's build, each on one line.
    var findingLines: [String] { findings.map { TerminalText.escape($0) } }

    /// The notes, each on one line.
    var noteLines: [String] { notes.map { TerminalText.escape($0) } }

    /// A line for each failure of a step of `after`, which came after the first failure.
    var laterLines: [String] { laterFailures.map { "then \($0.line(in: flow))" } }

    /// A line for each run that failed before this one.
    var earlierLines: [String] {
        zip(1..., earlier).compactMap { number, run in
            run.failure.map { failure in
                (["run \(number)", failure.line(in: flow)] + (run.trace.map { [$0.text] } ?? [])).joined(
                    separator: ": ")
            }
        }
    }

    var title: String { TerminalText.escape("\(flow.file): \(flow.name)") }

    var seconds: String { duration.inTenths }
}

extension Duration {
    /// The seconds, with one digit after the point.
    var inTenths: String { JSONValue.number((milliseconds / 100).rounded() / 10).text }
}

extension FlowFailure {
    func place(in flow: Flow) -> String { flow.place(ofStep: step?.number ?? 0) }

    /// The place, and what was expected and found, on one line.
    func line(in flow: Flow) -> String {
        "\(place(in: flow)): expected \(lines.expected); found \(lines.found)"
    }

    /// What was expected and found, on one line each, because pages have chosen parts of it.
    var lines: (expected: String, found: String) { (TerminalText.escape(expected), TerminalText.escape(found)) }

    /// The latest traffic: a line for each record, and lines for hints.
    var log: [String] {
        records.flatMap { ReadableTraffic().text($0).split(separator: "\n").map(String.init) }
    }
}
