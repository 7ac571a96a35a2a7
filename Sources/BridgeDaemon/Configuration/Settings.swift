import BridgeYAML
import Configuration
import PathConfiguration

/// What `serve` is told: flags over environment over `bridged.yml`.
///
/// All are texts until they are asked for, so that a mistake is told in the same way wherever it was made.
struct Settings {
    private let reader: ConfigReader
    private let flags: [Setting: [String]]
    private let environment: [String: String]
    private let file: ConfigurationFile?

    init(flags: [Setting: [String]], environment: [String: String], file: ConfigurationFile?) {
        self.flags = flags
        self.environment = environment
        self.file = file
        reader = ConfigReader(providers: [
            InMemoryProvider(name: "flags", values: Settings.values(flags)),
            EnvironmentVariablesProvider(environmentVariables: environment),
            InMemoryProvider(name: "bridged.yml", values: Settings.values(file?.settings ?? [:])),
        ]).scoped(to: "bridged")
    }

    private static func values(_ texts: [Setting: [String]]) -> [AbsoluteConfigKey: ConfigValue] {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        for (setting, texts) in texts {
            let content: ConfigContent = setting.isList ? .stringArray(texts) : .string(texts.first ?? "")
            values[AbsoluteConfigKey(["bridged", setting.rawValue], context: [:])] = ConfigValue(
                content, isSecret: false)
        }
        return values
    }

    func text(_ setting: Setting) -> String? { reader.string(forKey: ConfigKey([setting.rawValue])) }

    /// Empty where nothing is said.
    func list(_ setting: Setting) -> [String] { reader.stringArray(forKey: ConfigKey([setting.rawValue]), default: []) }

    /// - Parameter expected: what a good value is, such as `true or false`.
    /// - Throws: ``SettingError`` for a value that `read` has no use for.
    func value<Value>(
        _ setting: Setting, _ expected: String, _ read: (String) -> Value?
    ) throws(SettingError) -> Value? {
        guard let text = text(setting) else { return nil }
        return try value(setting, of: text, expected, read)
    }

    /// The same for each of a list.
    func values<Value>(
        _ setting: Setting, _ expected: String, _ read: (String) -> Value?
    ) throws(SettingError) -> [Value] {
        var values: [Value] = []
        for text in list(setting) { values.append(try value(setting, of: text, expected, read)) }
        return values
    }

    private func value<Value>(
        _ setting: Setting, of text: String, _ expected: String, _ read: (String) -> Value?
    ) throws(SettingError) -> Value {
        if let value = read(text) { return value }
        throw SettingError(description: "'\(text)' is no value for \(origin(of: setting)). Give \(expected).")
    }

    func flag(_ setting: Setting) throws(SettingError) -> Bool {
        let words = ["true": true, "yes": true, "1": true, "false": false, "no": false, "0": false]
        return try value(setting, "true or false") { words[$0.lowercased()] } ?? false
    }

    /// Where the value that counts was given.
    private func origin(of setting: Setting) -> String {
        if flags[setting] != nil { return "--\(setting.rawValue)" }
        if environment[setting.variable] != nil { return "the environment variable \(setting.variable)" }
        return file?.place(of: setting) ?? setting.rawValue
    }
}

/// A setting that can't be used.
struct SettingError: Error, CustomStringConvertible {
    let description: String
}
