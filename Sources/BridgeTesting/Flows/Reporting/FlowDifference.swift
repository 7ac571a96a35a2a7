import BridgeTraffic
import EmulatedApp
import Foundation

/// A flow that does not go the same way with all frameworks in one browser: where the stacks part, where the messages do if
/// one of them is an app's own, and the first step that fails on any of them.
struct FlowDifference {
    let flow: Flow
    /// The results of one flow in one browser, one for each framework.
    let results: [FlowResult]
    /// The first navigation after which the stacks are not the same; nil if there is none.
    private let parting: Int?
    /// The first message that is not the same; nil if there is none, or all apps are emulated: those of iOS and of Android
    /// differ.
    private let otherMessage: Int?
    /// The first failed step, from 1, or 0 if one failed before the first step; nil if all passed or failed alike.
    private let failedStep: Int?

    /// Compares the results of one flow in one browser.
    /// - Returns: nil if the stacks did not part, and the flow passed with all frameworks or failed in the same way on all.
    init?(_ results: [FlowResult]) {
        guard let first = results.first, results.count > 1 else { return nil }
        flow = first.flow
        self.results = results
        parting = FlowDifference.firstDifference(results.map { $0.navigations.map(\.stacks) })
        let isOneReal = results.contains { $0.app != nil }
        otherMessage = isOneReal ? FlowDifference.firstDifference(results.map { $0.messages.map(\.text) }) : nil
        failedStep = FlowDifference.failedStep(of: results)
        if parting == nil, otherMessage == nil, failedStep == nil { return nil }
    }

    /// Compares what all lists have. A flow that failed has fewer navigations and messages, and one may end before its last.
    private static func firstDifference(_ lists: [[String]]) -> Int? {
        (0..<(lists.map(\.count).min() ?? 0)).first { index in Set(lists.map { $0[index] }).count > 1 }
    }

    private static func failedStep(of results: [FlowResult]) -> Int? {
        let failures = results.map(\.failure)
        guard let step = failures.compactMap({ $0?.number }).min() else { return nil }
        let isAlike = failures.allSatisfy { failure in
            guard let failure, let first = failures[0] else { return false }
            return (failure.number, failure.expected, failure.found) == (step, first.expected, first.found)
        }
        return isAlike ? nil : step
    }

    /// Finds the differences among the results of a run, in the order of the results.
    static func all(in results: [FlowResult]) -> [FlowDifference] {
        var groups: [[FlowResult]] = []
        for result in results {
            if let last = groups.last?.last, last.isCounterpart(of: result) {
                groups[groups.count - 1].append(result)
            } else {
                groups.append([result])
            }
        }
        return groups.compactMap(FlowDifference.init)
    }

    /// The step at which the stacks part, the one at which the messages do, and the one that fails, each with a line for
    /// each framework.
    var lines: [String] { partingLines + messageLines + failureLines }

    private var messageLines: [String] {
        guard let otherMessage, let step = results.map({ $0.messages[otherMessage].step }).min() else { return [] }
        return ["\(flow.place(ofStep: step))"]
            + table { result in
                let next = result.messages.dropFirst(otherMessage).prefix(4).map { TerminalText.escape($0.text) }
                return "message \(otherMessage + 1): \(next.joined(separator: ", "))"
            }
    }

    private var partingLines: [String] {
        guard let parting, let step = results.map({ $0.navigations[parting].step }).min() else { return [] }
        return ["\(flow.place(ofStep: step))"] + table { TerminalText.escape($0.navigations[parting].stacks) }
    }

    private var failureLines: [String] {
        guard let failedStep else { return [] }
        let failure = results.lazy.compactMap(\.failure).first { $0.number == failedStep }
        return [failure?.place(in: flow) ?? ""]
            + table { result in
                let shown = result.navigations.last { $0.step <= failedStep }?.stacks
                let stacks = shown.map { "   " + TerminalText.escape($0) } ?? ""
                guard let failure = result.failure, failure.number == failedStep else { return "passes\(stacks)" }
                let (expected, found) = failure.lines
                return "fails: expected \(expected); found \(found)\(stacks)"
            }
    }

    private func table(_ text: (FlowResult) -> String) -> [String] {
        let width = results.map { $0.frameworkName.count }.max() ?? 0
        return results.map { result in
            let name = result.frameworkName.padding(toLength: width, withPad: " ", startingAt: 0)
            return "  \(name)  \(text(result))"
        }
    }

    func concerns(_ result: FlowResult) -> Bool { results[0].isCounterpart(of: result) }
}

extension FlowFailure {
    /// The number of the failed step; 0 if the flow failed before its first step.
    fileprivate var number: Int { step?.number ?? 0 }
}

extension FlowResult {
    fileprivate var frameworkName: String { app ?? framework?.name ?? "" }

    /// Whether both are results of the same flow in the same browser, with different frameworks.
    fileprivate func isCounterpart(of other: FlowResult) -> Bool {
        flow.file == other.flow.file && engine == other.engine
            && !frameworkName.isEmpty && !other.frameworkName.isEmpty
    }
}
