import ArgumentParser
import BridgeYAML
import EmulatedApp
import PathConfiguration

/// Looks up the settings of `serve`: a flag comes before an environment variable, that before the file
/// of the app's build, and that before `bridged.yml`.
struct SettingLookup {
    private let environment: [String: String]
    private let file: ConfigurationFile?
    /// What the app's build has, which comes before the file. A flag or a variable must not say it, too.
    var binary: BinaryFile?
    /// The settings looked up so far. These are the keys that the file may have.
    private var names: [String] = []
    /// Those of them that have a value.
    private var given: Set<String> = []
    /// Where those of them have their values that the command line does not have, such as `root-url in bridged.yml`.
    private(set) var sources: [String] = []
    /// Those of them that the command line has.
    private(set) var flags: [String] = []

    init(environment: [String: String], file: ConfigurationFile?) {
        self.environment = environment
        self.file = file
    }

    /// Looks up all settings among the options, and changes the configuration by those that are given.
    @MainActor mutating func read(
        _ options: some ParsableArguments, into configuration: inout ServeConfiguration
    ) throws {
        for (label, value) in Mirror(reflecting: options).children {
            let list = (value as? Option<[Setting]>)?.wrappedValue
            guard let label, let settings = list ?? (value as? Option<Setting>).map({ [$0.wrappedValue] }) else {
                continue
            }
            let name = SettingLookup.name(ofProperty: label)
            let found = try find(name, settings.flatMap(\.texts), isList: list != nil)
            let isInFile = binary?.members[name] != nil || file?.members[name] != nil
            guard !found.texts.isEmpty || settings[0].readsEmptyLists && isInFile else { continue }
            try settings[0].read(&configuration, found)
        }
    }

    /// Lets the file have settings that the command does not read.
    mutating func ignore(_ names: String...) { self.names += names }

    /// The name that ArgumentParser gives the option of a property: `root-url` for `_rootURL`.
    private static func name(ofProperty label: String) -> String {
        label.dropFirst().reduce(into: "") { name, letter in
            if letter.isUppercase, name.last?.isUppercase == false { name += "-" }
            name.append(letter)
        }.lowercased()
    }

    /// Looks up a setting of the command line that is true or false.
    mutating func flag(_ name: String, _ isOn: Bool) throws -> Bool {
        let words = ["true": true, "yes": true, "1": true, "false": false, "no": false, "0": false]
        let found = try find(name, isOn ? ["true"] : [], isList: false)
        return try found.values("true or false") { words[$0.lowercased()] }.first ?? false
    }

    mutating func find(_ name: String, _ flag: [String], isList: Bool) throws -> FoundSetting {
        names.append(name)
        let found = try look(for: name, flag, isList: isList)
        if !found.texts.isEmpty { given.insert(name) }
        switch found.elements.first?.place {
        case .flag: flags.append(name)
        case .variable(let variable): sources.append(variable)
        case .file(let value): sources.append("\(name) in \(value.file)")
        case nil: break
        }
        return found
    }

    private func look(for name: String, _ flag: [String], isList: Bool) throws -> FoundSetting {
        let ofBuild = binary?.members[name]
        var found = FoundSetting(name: name, isOfBuild: ofBuild != nil)
        let variable = "BRIDGED_" + name.uppercased().replacing("-", with: "_")
        if !flag.isEmpty {
            found.elements = flag.map { ($0, .flag) }
        } else if let text = environment[variable] {
            let texts = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            found.elements = (isList ? texts : [text]).map { ($0, .variable(variable)) }
        } else {
            for scalar in (ofBuild ?? file?.members[name])?.scalars(isList: isList) ?? [] {
                found.elements.append((try scalar.text(), .file(scalar)))
            }
            return found
        }
        if ofBuild != nil, let binary { throw binary.contradiction(name, flag.isEmpty ? variable : "--\(name)") }
        return found
    }

    // MARK: Settings that belong together

    /// Refuses settings that have no effect without another one.
    /// - Parameter needs: each such setting, the one that it needs, and what to do about it.
    func check(_ needs: [(name: String, other: String, advice: String)]) throws {
        for (name, other, advice) in needs where given.contains(name) && !given.contains(other) {
            let text = "\(name) needs \(other) as well: \(advice)"
            throw file?.members[name]?.error(text) ?? SettingError(description: text)
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

    /// Rejects keys of the file that are neither a setting looked up so far nor one of `others`.
    func checkKeys(and others: [String]) throws(YAMLError) { try file?.checkKeys(names + others) }
}

/// What the command line, the environment or a file has for a setting.
struct FoundSetting {
    fileprivate enum Place {
        case flag
        case variable(String)
        case file(YAMLValue)
    }

    private let name: String
    /// Whether the file of the app's build has the setting.
    let isOfBuild: Bool
    fileprivate var elements: [(text: String, place: Place)] = []

    fileprivate init(name: String, isOfBuild: Bool) { (self.name, self.isOfBuild) = (name, isOfBuild) }

    /// The texts of a list.
    var texts: [String] { elements.map(\.text) }
    /// The text of a setting that is not a list.
    var text: String { elements[0].text }

    /// - Parameter expected: what a valid value is, such as `true or false`.
    /// - Throws: ``SettingError`` if `read` returns nil, or `YAMLError` if the value is in a file.
    func value<Value>(_ expected: String, _ read: (String) -> Value?) throws -> Value {
        try values(expected, read)[0]
    }

    /// Reads each text of a list as ``value(_:_:)`` does.
    func values<Value>(_ expected: String, _ read: (String) -> Value?) throws -> [Value] {
        try elements.map { text, place in
            if let value = read(text) { return value }
            switch place {
            case .flag: throw SettingError(description: "'\(text)' is not valid for --\(name). Give \(expected).")
            case .variable(let variable):
                throw SettingError(
                    description: "'\(text)' is not valid for the environment variable \(variable). Give \(expected).")
            case .file(let value): throw value.error("Expected \(expected) for \(name), found \(value.summary).")
            }
        }
    }

    func count(in range: ClosedRange<Int>) throws -> Int {
        try value("a number from \(range.lowerBound) to \(range.upperBound)") { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    func duration(atLeast least: Duration = .zero) throws -> Duration {
        let bound = least > .zero ? ", at least \(least.inMilliseconds)" : ""
        return try value("a time such as 500ms, 5s or 2m\(bound)") { text in
            Duration(text).flatMap { $0 < least ? nil : $0 }
        }
    }

    /// The error of a value that does not need to be quoted.
    func mistake(_ text: String) -> any Error {
        if case .file(let value)? = elements.first?.place { value.error(text) } else { SettingError(description: text) }
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
