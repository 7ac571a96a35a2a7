/// The verdict on a case in one browser.
struct CaseVerdict: Sendable {
    let id: String
    let group: String
    let isScored: Bool
    /// The expected and the actual outcome, or nil if the case passed.
    let failure: String?
    let duration: Duration

    var passed: Bool { failure == nil }

    init(_ recordedCase: RecordedCase, _ result: CaseResult) {
        id = recordedCase.id
        group = recordedCase.group
        isScored = recordedCase.isScored
        switch result {
        case .failed(let reason): (failure, duration) = (reason, .zero)
        case .ended(let outcomes, let time):
            let expected = Translation.expectation(of: recordedCase)
            let comparison = Comparison(recordedCase)
            let matches = outcomes.contains { comparison.matches(expected, $0) }
            failure = matches ? nil : "expected \(expected)\n     but got  \(outcomes.first ?? .null)"
            duration = time
        }
    }
}
