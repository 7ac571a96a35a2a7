import EmulatedApp

/// A flow whose result in one browser is not the same with all frameworks. It describes the first step that failed on any
/// of them.
struct FlowDifference {
    let flow: Flow
    /// The results of one flow in one browser, one for each framework.
    let results: [FlowResult]
    /// The first failed step, from 1; 0 if one failed before the first step.
    private let step: Int

    /// Compares the results of one flow in one browser.
    /// - Returns: nil if the flow passed with all frameworks, or failed in the same way on all.
    init?(_ results: [FlowResult]) {
        guard let first = results.first, results.count > 1 else { return nil }
        let failures = results.map(\.failure)
        let numbers = failures.compactMap { $0.map { $0.step?.number ?? 0 } }
        guard let step = numbers.min() else { return nil }
        let isAlike = failures.allSatisfy { failure in
            failure.map {
                ($0.step?.number ?? 0, $0.expected, $0.found) == (step, failures[0]?.expected, failures[0]?.found)
            }
                ?? false
        }
        guard !isAlike else { return nil }
        flow = first.flow
        self.results = results
        self.step = step
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

    /// The step, and a line for each framework.
    var lines: [String] {
        let failures = results.compactMap(\.failure)
        let place = failures.first { ($0.step?.number ?? 0) == step }?.place(in: flow) ?? ""
        let width = results.map { $0.frameworkName.count }.max() ?? 0
        return [place]
            + results.map { result in
                let name = result.frameworkName.padding(toLength: width, withPad: " ", startingAt: 0)
                guard let failure = result.failure, (failure.step?.number ?? 0) == step else {
                    return "  \(name)  passes"
                }
                let (expected, found) = failure.lines
                return "  \(name)  fails: expected \(expected); found \(found)"
            }
    }

    func concerns(_ result: FlowResult) -> Bool { results[0].isCounterpart(of: result) }
}

extension FlowResult {
    fileprivate var frameworkName: String { framework?.name ?? "" }

    /// Whether both are results of the same flow in the same browser, with different frameworks.
    fileprivate func isCounterpart(of other: FlowResult) -> Bool {
        flow.file == other.flow.file && engine == other.engine && framework != nil && other.framework != nil
    }
}
