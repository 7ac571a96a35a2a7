import Foundation

/// The build settings of a target, in which a value may name other settings: `$(PRODUCT_NAME)`.
struct BuildSettings {
    private var values: [String: String] = [:]

    /// The value of a setting, without references to others.
    subscript(_ name: String) -> String? {
        get { values[name].map { resolve($0) } }
        set { values[name] = newValue }
    }

    var names: [String] { values.keys.sorted() }

    /// Adds settings of a higher level, in which `$(inherited)` is the value so far.
    mutating func merge(_ others: [String: String]) {
        for (name, value) in others {
            values[name] = value.replacing("$(inherited)", with: values[name] ?? "")
        }
    }

    /// The name of the module that the target's sources are.
    var moduleName: String {
        let name = self["PRODUCT_MODULE_NAME"] ?? self["PRODUCT_NAME"] ?? self["TARGET_NAME"] ?? "App"
        return BuildSettings.identifier(name)
    }

    /// Replaces `$(NAME)`, `${NAME}` and `$(NAME:c99extidentifier)` by the values of these settings.
    ///
    /// A setting that names itself ends after a few steps.
    func resolve(_ text: String, depth: Int = 0) -> String {
        guard depth < 8, text.contains("$") else { return text }
        return text.replacing(/\$[({]([A-Za-z0-9_]+)(?::([a-z0-9]+))?[)}]/) { match in
            let value = values[String(match.1)].map { resolve($0, depth: depth + 1) } ?? ""
            return switch match.2 {
            case "c99extidentifier": BuildSettings.identifier(value)
            case "rfc1034identifier": value.replacing(/[^A-Za-z0-9.-]/, with: "-")
            default: value
            }
        }
    }

    private static func identifier(_ text: String) -> String {
        let name = text.replacing(/[^A-Za-z0-9_]/, with: "_")
        return name.first?.isNumber == true ? "_" + name : name
    }
}

/// A file with build settings: `NAME = value` on each line, and `#include "other.xcconfig"`.
enum ConfigurationFile {
    static func settings(in file: URL, depth: Int = 0) -> [String: String] {
        guard depth < 8, let text = try? String(contentsOf: file, encoding: .utf8) else { return [:] }
        var settings: [String: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            if let match = line.wholeMatch(of: /\s*#include\??\s*"([^"]+)".*/) {
                let other = file.deletingLastPathComponent().appendingPathComponent(String(match.1))
                settings.merge(ConfigurationFile.settings(in: other, depth: depth + 1)) { $1 }
            } else if let match = line.wholeMatch(of: /\s*([A-Za-z0-9_]+)\s*=\s*(.*?)\s*(\/\/.*)?/) {
                settings[String(match.1)] = String(match.2)
            }
        }
        return settings
    }
}
