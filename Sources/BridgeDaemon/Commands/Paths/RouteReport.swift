import BridgeInput
import BridgeProtocol
import BridgeTraffic
import EmulatedApp
import Foundation
import PathConfiguration

/// The result of one step of `bridged route`.
struct RouteReport {
    let step: RouteStep
    /// The path properties of the step's location; nil for a step without a location, such as `back`.
    let properties: PathProperties?
    let outcome: NavigationOutcome
    let reasons: [NavigationReason]
    let framework: Framework

    private var interpreted: InterpretedProperties? { properties.map(framework.interpret) }

    /// The report for people: the step, its path properties, what the app does, and both stacks.
    /// - Parameter start: the app's first location. URLs with the same origin are shown as paths.
    func readable(from start: URL) -> String {
        let origin = start.originText
        func short(_ url: String) -> String {
            let rest = url.hasPrefix(origin + "/") ? String(url.dropFirst(origin.count)) : url
            return TerminalText.escape(rest)
        }
        let reading = interpreted.map { "   context \($0.context.rawValue), presentation \($0.presentation.rawValue)" }
        var lines = ["\(TerminalText.escape(step.text))\(reading ?? "")"]
        lines += reasons.map { TerminalText.escape("  because \($0.text)") }
        lines += outcome.effects.map { "  \($0.readable(short))" }
        if outcome.effects.isEmpty { lines.append("  nothing") }
        return (lines + StackDrawing.lines(outcome.state, short) + [""]).joined(separator: "\n")
    }
}

extension RouteReport: JSONObject {
    var members: JSONMembers {
        [
            "step": step.text, "properties": properties.map { JSONValue($0.values) } ?? .null,
            "context": JSONValue(text: interpreted?.context.rawValue),
            "presentation": JSONValue(text: interpreted?.presentation.rawValue), "why": reasons.map(\.text),
            "effects": outcome.effects, "main": outcome.state.main.map(\.name),
            "modal": outcome.state.modal.map(\.name), "visits": outcome.visits, "native": outcome.nativeScreens,
        ]
    }
}

extension NavigationEffect {
    fileprivate func readable(_ short: (String) -> String) -> String {
        switch self {
        case .visit(let order):
            "\(order.kind.rawValue) \(short(order.url.absoluteString)) on \(order.stack.rawValue), action \(order.action.rawValue)"
        case .transition(let transition):
            "\(transition.operation.readable(on: transition.stack))\(transition.animated ? "" : ", not animated")"
        case .open(let url, let browser):
            "open \(short(url.absoluteString)) in the \(browser == .browser ? "in-app browser" : "system")"
        case .presentAlert(let stack): "present an alert over \(stack.rawValue)"
        case .cancelBack(let stack): "cancel the swipe back on \(stack.rawValue)"
        }
    }
}

extension StackTransition.Operation {
    fileprivate func readable(on stack: NavigationStack) -> String {
        switch self {
        case .push: "push on \(stack.rawValue)"
        case .pop: "pop \(stack.rawValue)"
        case .popToRoot: "pop \(stack.rawValue) to its root"
        case .present: "present the modal"
        case .dismiss: "dismiss the modal"
        case .set: "replace screens of \(stack.rawValue)"
        }
    }
}

/// Draws both stacks side by side, the top screen first.
private enum StackDrawing {
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
