import Foundation

/// The build settings of a target, in which a value may name other settings: `$(PRODUCT_NAME)`.
struct BuildSettings {
    /// A setting as it is written.
    struct Setting {
        let text: String
        /// The file that has it, for people.
        let file: String
    }

    /// How much a project's texts may grow when settings are put in, in bytes. A few settings that each name the next one
    /// twice would otherwise fill the memory.
    static let maximumGrowth = 256 << 10
    /// How many of these bytes each reference uses up beside its value, because it takes time even if the value is empty.
    private static let costOfReference = 64
    /// How many settings may name each other in a row.
    private static let maximumDepth = 32

    private var settings: [String: Setting] = [:]

    /// The value of a setting, without references to others.
    subscript(_ name: String) -> String? {
        get throws(BuildFailure) {
            var left = BuildSettings.maximumGrowth
            return try value(of: name, &left)
        }
    }

    /// The value of a setting, without references to others.
    /// - Parameter left: how much texts may still grow.
    func value(of name: String, _ left: inout Int) throws(BuildFailure) -> String? {
        guard let setting = settings[name] else { return nil }
        return try resolve(setting.text, "The build setting \(name) in \(setting.file)", [name], &left)
    }

    mutating func set(_ name: String, _ text: String, in file: String = "bridged") {
        settings[name] = Setting(text: text, file: file)
    }

    var names: [String] { settings.keys.sorted() }

    /// Adds settings of a higher level, in which `$(inherited)`, or the setting's own name, is the value so far.
    mutating func merge(_ others: [String: Setting]) throws(BuildFailure) {
        for (name, setting) in others.sorted(by: { $0.key < $1.key }) {
            let inherited = settings[name]?.text
            var text = setting.text.replacing("$(inherited)", with: inherited ?? "")
            if let inherited { text = text.replacing("$(\(name))", with: inherited) }
            guard text.utf8.count <= setting.text.utf8.count + BuildSettings.maximumGrowth else {
                throw BuildSettings.tooLong("The build setting \(name) in \(setting.file)")
            }
            set(name, text, in: setting.file)
        }
    }

    /// The name of the module that the target's sources are.
    var moduleName: String {
        get throws(BuildFailure) {
            for setting in ["PRODUCT_MODULE_NAME", "PRODUCT_NAME", "TARGET_NAME"] {
                if let name = try self[setting] { return BuildSettings.identifier(name) }
            }
            return "App"
        }
    }

    /// Replaces `$(NAME)`, `${NAME}` and `$(NAME:c99extidentifier)` by the values of these settings.
    /// - Parameters:
    ///   - what: what has the text, as the beginning of a sentence.
    ///   - path: the settings that the text is a part of, each of which names the next one.
    ///   - left: how much texts may still grow.
    func resolve(
        _ text: String, _ what: String, _ path: [String], _ left: inout Int
    ) throws(BuildFailure) -> String {
        guard text.contains("$") else { return text }
        var (result, rest) = ("", text[...])
        while let match = rest.firstMatch(of: /\$[({]([A-Za-z0-9_]+)(?::([a-z0-9]+))?[)}]/) {
            let name = String(match.1)
            guard !path.contains(name) else { throw BuildSettings.circle(what, path + [name]) }
            guard path.count < BuildSettings.maximumDepth else { throw BuildSettings.tooDeep(what, path) }
            let value = try settings[name].map { setting throws(BuildFailure) in
                try resolve(setting.text, what, path + [name], &left)
            }
            let form = BuildSettings.form(value ?? "", match.2)
            left -= BuildSettings.costOfReference + form.utf8.count
            guard left >= 0 else { throw BuildSettings.tooLong(what) }
            result += rest[..<match.range.lowerBound] + form
            rest = rest[match.range.upperBound...]
        }
        return result + rest
    }

    private static func form(_ value: String, _ name: Substring?) -> String {
        switch name {
        case "c99extidentifier": identifier(value)
        case "rfc1034identifier": value.replacing(/[^A-Za-z0-9.-]/, with: "-")
        default: value
        }
    }

    /// A text with `_` in place of what a name in C cannot have.
    static func identifier(_ text: String) -> String {
        let name = text.replacing(/[^A-Za-z0-9_]/, with: "_")
        return name.first?.isNumber == true ? "_" + name : name
    }
}

/// Values that no build can use.
extension BuildSettings {
    private static func circle(_ what: String, _ path: [String]) -> BuildFailure {
        BuildFailure(
            "\(what) names itself: \(path.joined(separator: " → ")). Write its value there, or $(inherited) for the one "
                + "that a lower level gives.")
    }

    private static func tooDeep(_ what: String, _ path: [String]) -> BuildFailure {
        BuildFailure(
            "\(what) names a setting that names another one, and so on for more than \(maximumDepth) settings: "
                + "\(path.prefix(3).joined(separator: " → ")) → … Write the value where it is used.")
    }

    private static func tooLong(_ what: String) -> BuildFailure {
        BuildFailure(
            "\(what) has more than \(maximumGrowth) bytes when the settings that it names are put in. Shorten it, or the "
                + "settings that it names.")
    }
}

/// A file with build settings: `NAME = value` on each line, and `#include "other.xcconfig"`.
struct ConfigurationFile {
    /// How many files one may include, with those that these include.
    private static let maximumFiles = 1_000

    private var left = ConfigurationFile.maximumFiles
    private let first: URL

    private init(_ file: URL) { first = file }

    static func settings(in file: URL) throws(BuildFailure) -> [String: BuildSettings.Setting] {
        var reader = ConfigurationFile(file.standardizedFileURL)
        return try reader.settings(in: file.standardizedFileURL, includedBy: [])
    }

    /// - Parameter outer: the files that include this one. Another `#include` of one of them adds nothing.
    private mutating func settings(
        in file: URL, includedBy outer: [URL]
    ) throws(BuildFailure) -> [String: BuildSettings.Setting] {
        guard !outer.contains(file), let text = try? String(contentsOf: file, encoding: .utf8) else { return [:] }
        left -= 1
        guard left >= 0 else {
            throw BuildFailure(
                "\(first.path) includes more than \(ConfigurationFile.maximumFiles) files, those that they include "
                    + "counted each time. Remove an #include that another file has, too.")
        }
        var settings: [String: BuildSettings.Setting] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            if let match = line.wholeMatch(of: /\s*#include\??\s*"([^"]+)".*/) {
                let other = file.deletingLastPathComponent().appendingPathComponent(String(match.1))
                let included = try self.settings(in: other.standardizedFileURL, includedBy: outer + [file])
                settings.merge(included) { $1 }
            } else if let (name, text) = ConfigurationFile.setting(in: line) {
                settings[name] = BuildSettings.Setting(text: text, file: file.path)
            }
        }
        return settings
    }

    /// Reads `NAME = value // a comment`. It is split, because a regex would look from each of many blanks for the end.
    private static func setting(in line: Substring) -> (name: String, text: String)? {
        let code = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
        guard let sign = code.firstIndex(of: "=") else { return nil }
        let name = code[..<sign].trimmingCharacters(in: .whitespaces)
        guard name.wholeMatch(of: /[A-Za-z0-9_]+/) != nil else { return nil }
        return (name, code[code.index(after: sign)...].trimmingCharacters(in: .whitespaces))
    }
}
