package import Synchronization

/// How texts for people name the settings: as options in `bridged`, and as properties of `Configuration` in a program
/// that embeds the server.
package enum SettingName {
    /// Whether this process is `bridged`.
    package static let isOption = Atomic(false)
}

/// The name of a setting, such as `--port` or `Configuration.port`, with a value if it has one.
package func setting(_ option: String, _ property: String, _ value: String? = nil) -> String {
    guard SettingName.isOption.load(ordering: .relaxed) else {
        return (value.map { "\"\($0)\" in " } ?? "") + "Configuration.\(property)"
    }
    return "--\(option)" + (value.map { " \($0)" } ?? "")
}

/// The text with a period at its end, unless it ends a sentence already.
package func sentence(_ text: String) -> String {
    text.last.map { ".!?…".contains($0) } == true ? text : text + "."
}
