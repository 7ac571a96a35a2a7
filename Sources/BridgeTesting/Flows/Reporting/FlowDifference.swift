import BridgeTraffic
import EmulatedApp
import Foundation

/// A flow that does not go the same way with all frameworks in one browser: where the stacks part, which messages, calls
/// and requests do if one of them is an app's own, and the first step that fails on any of them.
struct FlowDifference {
    let flow: Flow
    /// The results of one flow in one browser, one for each framework.
    let results: [FlowResult]
    /// The first navigation after which the stacks are not the same; nil if there is none.
    private let parting: Int?
    /// What did not come equally often, if one of the apps is real: the messages of iOS and of Android differ.
    private let otherEvents: [FlowEvent]
    /// The first failed step, from 1, or 0 if one failed before the first step; nil if all passed or failed alike.
    private let failedStep: Int?

    /// Compares the results of one flow in one browser.
    /// - Returns: nil if the stacks did not part, and the flow passed with all frameworks or failed in the same way on all.
    ///   Runs that did not begin are not compared.
    init?(_ results: [FlowResult]) {
        let results = results.filter { $0.skipped == nil }
        guard let first = results.first, results.count > 1, results.allSatisfy(\.hasBegun) else { return nil }
        flow = first.flow
        let isReal = results.contains { $0.app != nil }
        var ids = results.map { _ in RecordIDs(of: first.flow.steps.map { "\($0.action)" }) }
        parting = FlowDifference.firstDifference(
            results.map { result in
                result.navigations.map { isReal ? FlowDifference.withoutNativeNames($0.stacks) : $0.stacks }
            }, &ids)
        self.results = zip(results, ids).map { result, ids in
            var result = result
            result.events = result.events.map { FlowEvent(step: $0.step, kind: $0.kind, text: ids.renamed($0.text)) }
            return result
        }
        otherEvents = FlowDifference.otherEvents(in: self.results)
        failedStep = FlowDifference.failedStep(of: results, &ids)
        if parting == nil, otherEvents.isEmpty, failedStep == nil { return nil }
    }

    /// Compares what all lists have. A flow that failed has fewer navigations and messages, and one may end before its last.
    /// - Parameter ids: those of each list's run, as the first run has them.
    private static func firstDifference(_ lists: [[String]], _ ids: inout [RecordIDs]) -> Int? {
        guard let first = lists.first, let shared = lists.map(\.count).min() else { return nil }
        let differences = zip(lists, ids.indices).compactMap { list, run in
            zip(list, first).prefix(shared).enumerated().first { !ids[run].match($0.element.0, $0.element.1) }?.offset
        }
        return differences.min()
    }

    /// A native screen is called by its class in a real app, and by its identifier in the path configuration elsewhere.
    private static func withoutNativeNames(_ stacks: String) -> String {
        stacks.replacing(/native:\S+/, with: "native")
    }

    /// Counts the requests, the calls, and the messages that all apps have handlers for. Their order is not compared: those of
    /// two web views overtake each other. How far a visit has come is left out, because a flow may end or go on before the
    /// page reports it.
    private static func otherEvents(in results: [FlowResult]) -> [FlowEvent] {
        guard results.contains(where: { $0.app != nil }), results.allSatisfy({ $0.failure == nil }) else { return [] }
        let handlers = results.map { Set($0.events.compactMap(\.handler)) }
        let shared = handlers.dropFirst().reduce(handlers.first ?? []) { $0.intersection($1) }
        var seen: Set<String> = []
        return results.flatMap(\.events).filter { event in
            guard event.handler.map({ shared.contains($0) }) ?? true, !progress.contains(event.text),
                event.text != answerToReady,
                seen.insert(event.line).inserted
            else { return false }
            return Set(results.map { $0.count(event) }).count > 1
        }
    }

    private static let progress = [
        "visitRequestStarted", "visitRequestFinished", "visitRequestCompleted", "visitRequestFailed", "visitRendered",
        "visitCompleted", "visitFailed",
    ].map { "turbo \($0)" }

    /// The answer to the "ready" of Hotwire's `bridge.js`, which is a framework's own affair.
    private static let answerToReady = "nativeBridge.register"

    private static func failedStep(of results: [FlowResult], _ ids: inout [RecordIDs]) -> Int? {
        let failures = results.map(\.failure)
        guard let step = failures.compactMap({ $0?.number }).min() else { return nil }
        let isAlike = zip(failures, ids.indices).allSatisfy { failure, run in
            guard let failure, let first = failures[0] else { return false }
            return failure.number == step && ids[run].match(failure.expected, first.expected)
                && ids[run].match(failure.found, first.found)
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

    /// The step at which the stacks part, what does not come equally often, and the step that fails, each with
    /// a line for each framework.
    var lines: [String] { partingLines + eventLines + failureLines }

    private var partingLines: [String] {
        guard let parting, let step = results.map({ $0.navigations[parting].step }).min() else { return [] }
        return ["\(flow.place(ofStep: step))"] + table { TerminalText.escape($0.navigations[parting].stacks) }
    }

    private var eventLines: [String] {
        otherEvents.flatMap { event in
            [TerminalText.escape(event.line)] + table { "\($0.count(event)) times" }
        }
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

extension FlowEvent {
    fileprivate var line: String { "\(kind) \(text)" }
}

extension FlowResult {
    fileprivate func count(_ event: FlowEvent) -> Int {
        events.count { $0.kind == event.kind && $0.text == event.text }
    }

    fileprivate var frameworkName: String { variant.joined(separator: ", ") }

    /// Whether both are results of the same flow in the same browser, with different frameworks.
    fileprivate func isCounterpart(of other: FlowResult) -> Bool {
        flow.file == other.flow.file && flow.row == other.flow.row && engine == other.engine
            && !frameworkName.isEmpty && !other.frameworkName.isEmpty
    }
}
