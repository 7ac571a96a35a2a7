/// How a case ended in one browser.
struct CaseVerdict: Sendable {
    let id: String
    let group: String
    let isScored: Bool
    /// What was expected and what came; nil for a case that passed.
    let failure: String?
    let duration: Duration

    var passed: Bool { failure == nil }

    init(_ oracleCase: OracleCase, failure: String?, duration: Duration = .zero) {
        id = oracleCase.id
        group = oracleCase.group
        isScored = oracleCase.isScored
        self.failure = failure
        self.duration = duration
    }

    @MainActor init(_ oracleCase: OracleCase, _ outcome: Outcome, _ placeholders: Placeholders, duration: Duration) {
        let expected = Translation.expectation(of: oracleCase)
        let outcomes = [Tag.NullItem.null, .undefined].map {
            outcome.tree(for: oracleCase, hashing: $0).mapStrings(placeholders.unfill)
        }
        let comparison = Comparison(oracleCase)
        let matches = outcomes.contains { comparison.matches(expected, $0) }
        self.init(
            oracleCase, failure: matches ? nil : "expected \(expected)\n     but got  \(outcomes[0])",
            duration: duration)
    }
}
