/// The verdict on a case in one browser.
struct CaseVerdict: Sendable {
    let id: String
    let group: String
    let isScored: Bool
    /// The expected and the actual outcome, or nil if the case passed.
    let failure: String?
    let duration: Duration

    var passed: Bool { failure == nil }

    init(_ recordedCase: RecordedCase, failure: String?, duration: Duration = .zero) {
        id = recordedCase.id
        group = recordedCase.group
        isScored = recordedCase.isScored
        self.failure = failure
        self.duration = duration
    }

    @MainActor init(_ recordedCase: RecordedCase, _ outcome: Outcome, _ placeholders: Placeholders, duration: Duration)
    {
        let expected = Translation.expectation(of: recordedCase)
        let outcomes = [Tag.NullItem.null, .undefined].map {
            outcome.tree(for: recordedCase, hashing: $0).mapStrings(placeholders.unfill)
        }
        let comparison = Comparison(recordedCase)
        let matches = outcomes.contains { comparison.matches(expected, $0) }
        self.init(
            recordedCase, failure: matches ? nil : "expected \(expected)\n     but got  \(outcomes[0])",
            duration: duration)
    }
}
