import EmulatedApp

/// Draws both stacks side by side, the top screen first.
enum StackDrawing {
    private static let widest = 40

    static func lines(_ state: NavigationState, _ short: (String) -> String) -> [String] {
        let stacks = NavigationStack.allCases.filter { $0 == .main || state.isModalPresented }
        let boxes = stacks.map { box($0.rawValue, state[$0].reversed().map { short($0.name) }) }
        let height = boxes.map(\.count).max() ?? 0
        return (0..<height).map { row in
            let cells = boxes.map { $0.indices.contains(row) ? $0[row] : String(repeating: " ", count: $0[0].count) }
            let line = "  \(cells.joined(separator: "  "))"
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    private static func box(_ title: String, _ names: [String]) -> [String] {
        let rows = (names.isEmpty ? ["(empty)"] : names).map(shorten)
        let width = max(rows.map(\.count).max() ?? 0, title.count + 2)
        let head = "┌ \(title) \(String(repeating: "─", count: width - title.count))┐"
        let middle = rows.map { "│ \($0)\(String(repeating: " ", count: width - $0.count)) │" }
        return [head] + middle + ["└\(String(repeating: "─", count: width + 2))┘"]
    }

    private static func shorten(_ name: String) -> String {
        name.count > widest ? "\(name.prefix(widest - 1))…" : name
    }
}
