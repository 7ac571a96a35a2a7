import BridgeYAML
import EmulatedApp
import Foundation
import PathConfiguration

/// Looks up the settings of `serve`: a flag comes before an environment variable, that before the file
/// of the app's build, and that before `bridged.yml`.
///
/// A setting has the same name in all three places: `--root-url`, `BRIDGED_ROOT_URL` and the key `root-url`.
/// ArgumentParser does not check the values of flags; they are strings until the lookup. So an invalid value gets the
/// same message in each place.
struct SettingLookup {
    private let environment: [String: String]
    private let file: ConfigurationFile?
    /// What the app's build has, which comes before the file. A flag or a variable must not say it, too.
    private let binary: BinaryFile?
    /// The settings looked up so far. These are the keys that the file may have.
    private var names: [String] = []
    /// Those of them that have a value.
    private var given: Set<String> = []
    /// Those of them that the command line has.
    private(set) var flags: [String] = []

    init(environment: [String: String], file: ConfigurationFile?, binary: BinaryFile? = nil) {
        self.environment = environment
        self.binary = binary
        self.file = file
    }

    // MARK: Texts

    mutating func text(_ name: String, _ flag: String?) throws -> String? {
        try find(name, flag.map { [$0] } ?? [], isList: false).first?.text
    }

    /// - Returns: an empty list for a setting that is not given.
    mutating func list(_ name: String, _ flag: [String]) throws -> [String] {
        try find(name, flag, isList: true).map(\.text)
    }

    /// A setting's text, or one of its texts, and the place that it comes from.
    private struct Found {
        enum Place {
            case flag
            case variable(String)
            case file(YAMLValue)
        }

        let text: String
        let place: Place

        /// The error that says that the text is not valid.
        func error(_ name: String, expected: String) -> any Error {
            switch place {
            case .flag: SettingError(description: "'\(text)' is not valid for --\(name). Give \(expected).")
            case .variable(let variable):
                SettingError(
                    description: "'\(text)' is not valid for the environment variable \(variable). Give \(expected).")
            case .file(let value): value.error("Expected \(expected) for \(name), found \(value.summary).")
            }
        }
    }

    private mutating func find(_ name: String, _ flag: [String], isList: Bool) throws -> [Found] {
        names.append(name)
        let found = try look(for: name, flag, isList: isList)
        if !found.isEmpty { given.insert(name) }
        if !flag.isEmpty { flags.append(name) }
        return found
    }

    private func look(for name: String, _ flag: [String], isList: Bool) throws -> [Found] {
        let ofBuild = binary?.members[name]
        if !flag.isEmpty {
            if ofBuild != nil, let binary { throw binary.contradiction(name, "--\(name)") }
            return flag.map { Found(text: $0, place: .flag) }
        }
        let variable = "BRIDGED_" + name.uppercased().replacing("-", with: "_")
        if let text = environment[variable] {
            if ofBuild != nil, let binary { throw binary.contradiction(name, variable) }
            let elements = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            return (isList ? elements : [text]).map { Found(text: $0, place: .variable(variable)) }
        }
        guard let value = ofBuild ?? file?.members[name] else { return [] }
        var found: [Found] = []
        for scalar in value.scalars(isList: isList) {
            found.append(Found(text: try scalar.text(), place: .file(scalar)))
        }
        return found
    }

    /// The error of settings that do not fit together.
    /// - Parameter name: one of them; if it is in the file, the error names its place.
    func error(_ name: String, _ text: String) -> any Error {
        file?.members[name]?.error(text) ?? SettingError(description: text)
    }

    /// Refuses settings that have no effect without another one.
    /// - Parameter needs: each such setting, the one that it needs, and what to do about it.
    func check(_ needs: [(name: String, other: String, advice: String)]) throws {
        for (name, other, advice) in needs where given.contains(name) && !given.contains(other) {
            throw error(name, "\(name) needs \(other) as well: \(advice)")
        }
    }

    /// Refuses flags that none of the apps reads. A file may be that of both platforms.
    /// - Parameter platforms: each such setting, and the platform whose apps have it.
    func check(_ platforms: [(name: String, platform: Platform)], of frameworks: [Framework]) throws {
        for (name, platform) in platforms
        where flags.contains(name) && !frameworks.contains(where: { $0.platform == platform }) {
            let apps = frameworks.map(\.name).joined(separator: ", ")
            throw SettingError(
                description: "--\(name) is for apps of \(platform.name), and \(apps) is not: leave it out.")
        }
    }

    /// Whether a file has the setting, if only with an empty list.
    func isInFile(_ name: String) -> Bool { binary?.members[name] != nil || file?.members[name] != nil }

    /// Rejects keys of the file that are neither a setting looked up so far nor one of `others`.
    func checkKeys(and others: [String]) throws(YAMLError) { try file?.checkKeys(names + others) }

    // MARK: Other values

    /// - Parameter expected: what a valid value is, such as `true or false`.
    /// - Throws: ``SettingError`` if `read` returns nil, or `YAMLError` if the value is in the file.
    mutating func value<Value>(
        _ name: String, _ flag: String?, _ expected: String, _ read: (String) -> Value?
    ) throws -> Value? {
        try values(name, flag.map { [$0] } ?? [], isList: false, expected, read).first
    }

    /// Looks up a list, and reads each of its elements as ``value(_:_:_:_:)`` does.
    mutating func values<Value>(
        _ name: String, _ flag: [String], isList: Bool = true, _ expected: String, _ read: (String) -> Value?
    ) throws -> [Value] {
        try find(name, flag, isList: isList).map { found in
            guard let value = read(found.text) else { throw found.error(name, expected: expected) }
            return value
        }
    }

    mutating func flag(_ name: String, _ isOn: Bool) throws -> Bool {
        let words = ["true": true, "yes": true, "1": true, "false": false, "no": false, "0": false]
        return try value(name, isOn ? "true" : nil, "true or false") { words[$0.lowercased()] } ?? false
    }

    mutating func count(_ name: String, _ flag: String?, _ range: ClosedRange<Int>) throws -> Int? {
        try value(name, flag, "a number from \(range.lowerBound) to \(range.upperBound)") { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// Looks up a number of bytes, such as `512000`, `500KiB` or `16MiB`.
    mutating func size(_ name: String, _ flag: String?, _ range: ClosedRange<Int>) throws -> Int? {
        let expected = "a size such as 500KiB or 16MiB, from \(range.lowerBound) to \(range.upperBound) bytes"
        return try value(name, flag, expected) { text in
            let units = [("KiB", 10), ("MiB", 20), ("", 0)]
            guard let (unit, shift) = units.first(where: { text.hasSuffix($0.0) }),
                let number = Int(text.dropLast(unit.count)), number <= range.upperBound
            else { return nil }
            return range.contains(number << shift) ? number << shift : nil
        }
    }

    mutating func duration(_ name: String, _ flag: String?, atLeast least: Duration = .zero) throws -> Duration? {
        let bound = least > .zero ? ", at least \(least.inMilliseconds)" : ""
        return try value(name, flag, "a time such as 500ms, 5s or 2m\(bound)") { text in
            Duration(text).flatMap { $0 < least ? nil : $0 }
        }
    }
}

/// The error of a flag or an environment variable with an invalid value. The text says which one it is, and what is
/// valid.
struct SettingError: Error, CustomStringConvertible {
    let description: String
}

extension YAMLValue {
    /// The elements of a list. A single value counts as a list of one.
    fileprivate func scalars(isList: Bool) -> [YAMLValue] {
        guard isList, case .sequence(let elements) = content else { return [self] }
        return elements
    }
}
