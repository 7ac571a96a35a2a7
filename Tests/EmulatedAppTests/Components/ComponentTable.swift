import BridgeServer

@testable import EmulatedApp

/// The reference of bridge components in docs/components.md, generated from their profiles.
enum ComponentTable {
    @MainActor static func markdown(_ components: [BridgeComponent.Type]) -> String {
        components.map { section($0.name, ComponentProfile(of: $0)) }.joined(separator: "\n")
    }

    private static func section(_ name: String, _ profile: ComponentProfile) -> String {
        var lines = ["### `\(name)`", "", profile.summary, ""]
        var events = profile.events[...]
        while let first = events.first {
            // Events that do the same share a line.
            let same = events.prefix { $0.data == first.data && $0.effect == first.effect }
            let names = same.map { "`\($0.name)`" }.dropLast().map { "\($0), " }.joined()
            let last = same.last?.name ?? first.name
            lines.append("- \(names)`\(last)\(first.data.isEmpty ? "" : " {\(first.data)}")`: \(first.effect)")
            events = events.dropFirst(same.count)
        }
        let actions = profile.actions.map(\.action).map { "`\(name).\($0.name)\(arguments($0))`" }
        if !actions.isEmpty { lines += ["", "Actions: \(actions.joined(separator: ", "))"] }
        if !profile.state.isEmpty { lines += ["", "State: \(profile.state)"] }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func arguments(_ action: Action) -> String {
        (action.required + action.optional.map { "[\($0)]" }).map { " \($0)" }.joined()
    }
}
