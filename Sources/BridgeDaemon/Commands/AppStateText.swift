import BridgeProtocol
import BridgeTraffic
import EmulatedApp
import Foundation

/// What the app shows, as lines for people: its stacks, and below them what is not as usual.
struct AppStateText {
    let lines: [String]

    /// - Parameter state: the result of `app.state`.
    init(_ state: JSON) {
        // A real app may have no stacks.
        guard state["main"] != nil else {
            lines = [TerminalText.escape(state.text)]
            return
        }
        let stacks = AppStateText.elements(state["main"]) + AppStateText.elements(state["modal"])
        let facts: [(String, [String])] = [
            ("title", [state["title"]?.string].compactMap(\.self)),
            ("loads", state["isLoading"]?.bool == true ? ["The visit is not over."] : []),
            ("tabs", [AppStateText.tabs(state)].filter { !$0.isEmpty }),
            ("error", stacks.compactMap { $0["error"]?["description"]?.string }),
            ("alert", AppStateText.elements(state["alerts"]).compactMap { $0["title"]?.string }),
            (
                "notified",
                AppStateText.elements(state["notifications"]).map { notification in
                    [notification["title"]?.string, notification["body"]?.string].compactMap(\.self)
                        .filter { !$0.isEmpty }.joined(separator: ": ")
                }
            ),
            ("sign in", [state["signIn"]?["url"]?.string].compactMap(\.self)),
            ("left", AppStateText.elements(state["outbox"]).compactMap { $0["url"]?.string }),
            ("hidden", state["isInBackground"]?.bool == true ? ["The app is in the background."] : []),
        ]
        let all = facts + AppStateText.components(of: stacks.last)
        let width = all.map { $0.0.count + 1 }.max() ?? 0
        let rows = all.flatMap { name, texts in
            texts.map { "  " + name.padding(toLength: max(9, width), withPad: " ", startingAt: 0) + $0 }
        }
        lines = (["\(StackLine(appState: state))"] + rows).map(TerminalText.escape)
    }

    /// The titles of the tabs that the user sees, such as `Home, [Posts]`.
    private static func tabs(_ state: JSON) -> String {
        guard state["isTabBarVisible"]?.bool == true else { return "" }
        return elements(state["tabs"]).filter { $0["isVisible"]?.bool == true }.map { tab in
            let title = tab["title"]?.string ?? ""
            return tab["selected"]?.bool == true ? "[\(title)]" : title
        }.joined(separator: ", ")
    }

    /// What the bridge components of a screen show, such as an open menu, by their names.
    private static func components(of screen: JSON?) -> [(String, [String])] {
        var states: [(String, [String])] = []
        screen?["components"]?.forEachMember { name, state in
            if !state.isNull { states.append((name, [state.text])) }
        }
        return states
    }

    private static func elements(_ list: JSON?) -> [JSON] {
        var elements: [JSON] = []
        list?.forEachElement { elements.append($0) }
        return elements
    }
}
