import BridgeServer

/// What documents say of components, made from their profiles.
enum ComponentTable {
    @MainActor static func markdown(_ components: [BridgeComponent.Type]) -> String {
        components.map { section($0.name, $0.profile) }.joined(separator: "\n")
    }

    private static func section(_ name: String, _ profile: ComponentProfile) -> String {
        var lines = [
            "### `\(name)`", "", profile.summary, "", "| the page sends | data | the app |", "| --- | --- | --- |",
        ]
        lines += profile.events.map { "| `\($0.name)` | \(code($0.data)) | \($0.effect) |" }
        if !profile.state.isEmpty { lines += ["", "State: \(profile.state)"] }
        if !profile.actions.isEmpty {
            lines += ["", "| action | what the user does |", "| --- | --- |"]
            lines += profile.actions.map(\.action).map {
                "| \(code("\(name).\($0.name)"))\(arguments($0)) | \($0.summary) |"
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func arguments(_ action: Action) -> String {
        let all = action.required + action.optional.map { "\($0)?" }
        return all.isEmpty ? "" : " {\(all.joined(separator: ", "))}"
    }

    private static func code(_ text: String) -> String { text.isEmpty ? "" : "`\(text)`" }
}
