import PathConfiguration

@testable import EmulatedApp

/// Describes a rule set as a table, for docs/navigation.md.
enum NavigationTable {
    /// Returns a Markdown table with a row for each presentation and context, and a column for each state of the modal.
    static func markdown(_ framework: Framework) -> String {
        let head = [
            "| presentation | context | no modal up | modal of 1 screen | modal of 2 or more |",
            "| --- | --- | --- | --- | --- |",
        ]
        let rows = Presentation.known(to: .ios).flatMap { self.rows(of: $0, framework) }
        return (head + rows).joined(separator: "\n")
    }

    /// Makes a row for each context, or one if they are equal.
    private static func rows(of presentation: Presentation, _ framework: Framework) -> [String] {
        let contexts = PresentationContext.allCases.map { ($0.rawValue, cells(presentation, $0, framework)) }
        let rows = Set(contexts.map(\.1)).count == 1 ? [("any", contexts[0].1)] : contexts
        return rows.map { context, cells in
            "| `\(presentation.rawValue)` | \(context) | \(cells.joined(separator: " | ")) |"
        }
    }

    private static func cells(
        _ presentation: Presentation, _ context: PresentationContext, _ framework: Framework
    ) -> [String] {
        ModalDepth.allCases.map { framework.rule(presentation, context, modal: $0).text(whenUp: $0) }
    }
}
