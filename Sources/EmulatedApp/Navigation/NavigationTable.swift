import PathConfiguration

/// The table of a rule set in words, for docs/navigation.md.
public enum NavigationTable {
    /// Markdown: given presentation and context down, current context across.
    /// - Parameter other: leaves out the rows that these rules have in common with the given ones.
    public static func markdown(_ rules: NavigationRules, exceptRowsOf other: NavigationRules? = nil) -> String {
        let head = [
            "| presentation | context | no modal up | modal of 1 screen | modal of 2 or more |",
            "| --- | --- | --- | --- | --- |",
        ]
        let rows = Presentation.known(to: .ios).flatMap { presentation in
            let common = other.map { self.rows(of: presentation, $0) } ?? []
            return self.rows(of: presentation, rules).filter { !common.contains($0) }
        }
        return (head + rows).joined(separator: "\n")
    }

    /// One row for both contexts, where they come to the same.
    private static func rows(of presentation: Presentation, _ rules: NavigationRules) -> [String] {
        let contexts = PresentationContext.allCases.map { ($0.rawValue, cells(presentation, $0, rules)) }
        let rows = Set(contexts.map(\.1)).count == 1 ? [("any", contexts[0].1)] : contexts
        return rows.map { context, cells in
            "| `\(presentation.rawValue)` | \(context) | \(cells.joined(separator: " | ")) |"
        }
    }

    private static func cells(
        _ presentation: Presentation, _ context: PresentationContext, _ rules: NavigationRules
    ) -> [String] {
        ModalDepth.allCases.map { depth in
            let texts = [VisitAction.advance, .replace].map { action in
                rules.rule(presentation, context, modal: depth, action: action).text(whenUp: depth)
            }
            return texts[0] == texts[1] ? texts[0] : "\(texts[0]); with action replace: \(texts[1])"
        }
    }
}
