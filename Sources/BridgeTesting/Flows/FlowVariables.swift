import BridgeProtocol
public import BridgeTraffic
import BridgeYAML
public import Foundation

/// The values for `${NAME}` that a flow gets from outside.
public struct FlowInputs: Sendable {
    /// Those of `--env`. They replace those of files.
    public var commandLine: [String: String]
    /// Those of the process. A file's own replace them.
    public var environment: [String: String]
    /// Says by the names of variables which are secrets, beside the usual names of secrets.
    public var redaction: Redaction

    public init(
        commandLine: [String: String] = [:], environment: [String: String] = ProcessInfo.processInfo.environment,
        redaction: Redaction = .standard
    ) {
        (self.commandLine, self.environment, self.redaction) = (commandLine, environment, redaction)
    }

    /// Whether a text can be the name of a variable: letters, digits and `_`, and no digit at the beginning.
    public static func isName(_ text: some StringProtocol) -> Bool {
        text.first?.isNumber == false
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }
}

/// The values for `${NAME}` in one file.
struct FlowVariables: Sendable {
    struct Value: Sendable {
        /// As in the file, such as a number. Values from outside are texts.
        let json: JSONValue
        let text: String
        /// The text without secrets.
        let shown: String
        /// The secrets in the text.
        var secrets: Set<FlowSecret> = []

        fileprivate var content: YAMLValue.Content { .scalar(json, text: text) }
        fileprivate var shownContent: YAMLValue.Content {
            shown == text ? content : .scalar(.string(shown), text: shown)
        }
    }

    private var values: [String: Value]
    /// Those that the `env` of no file replaces: of the command line, and of the row.
    private var fixed: [String: Value]
    private let redaction: Redaction

    init(_ inputs: FlowInputs) {
        redaction = inputs.redaction
        func value(_ name: String, _ text: String) -> Value {
            FlowVariables.value(Value(json: .string(text), text: text, shown: text), named: name, inputs.redaction)
        }
        fixed = Dictionary(uniqueKeysWithValues: inputs.commandLine.map { ($0, value($0, $1)) })
        values = Dictionary(uniqueKeysWithValues: inputs.environment.map { ($0, value($0, $1)) })
            .merging(fixed) { $1 }
    }

    /// A secret's name stands for it in results and traces.
    private static func value(_ value: Value, named name: String, _ redaction: Redaction) -> Value {
        guard redaction.covers(name) || Redaction.standard.covers(name) else { return value }
        let secret = FlowSecret(name: name, value: value.text)
        return Value(
            json: value.json, text: value.text, shown: "${\(name)}", secrets: value.secrets.union([secret]))
    }

    /// The secrets that a value gets by variables.
    func secrets(in value: YAMLValue) throws(YAMLError) -> Set<FlowSecret> {
        var secrets: Set<FlowSecret> = []
        _ = try value.replacingScalars { (scalar) throws(YAMLError) in
            if case .scalar(_, let text) = scalar.content, text.contains("${") {
                secrets.formUnion(try self.value(of: scalar).secrets)
            }
            return scalar.content
        }
        return secrets
    }

    /// Reads a mapping of names to values, which may have variables.
    func read(_ env: YAMLValue?) throws(YAMLError) -> [String: Value] {
        var read: [String: Value] = [:]
        for member in try env?.orderedMembers() ?? [] {
            read[member.key] = try value(of: try FlowVariables.checked(member).value, named: member.key)
        }
        return read
    }

    private static func checked(_ member: YAMLValue.Member) throws(YAMLError) -> YAMLValue.Member {
        guard FlowInputs.isName(member.key) else {
            throw member.error(
                "A variable's name has letters, digits and _, and no digit first: not \"\(member.key)\".")
        }
        return member
    }

    private func value(of text: YAMLValue, named name: String) throws(YAMLError) -> Value {
        FlowVariables.value(try value(of: text), named: name, redaction)
    }

    /// Returns the variables with those of a row, which no `env` replaces.
    func with(row: [String: Value]) -> FlowVariables {
        var variables = self
        variables.fixed.merge(row) { $1 }
        variables.values.merge(row) { $1 }
        return variables
    }

    /// Returns the variables of a file.
    /// - Parameters:
    ///   - env: the file's own. One without a value has to come from elsewhere.
    ///   - given: those that a `run` step gives to the file.
    func entering(_ env: YAMLValue?, given: [String: Value] = [:]) throws(YAMLError) -> FlowVariables {
        let given = given.merging(fixed) { $1 }
        var variables = self
        variables.values.merge(given) { $1 }
        for member in try env?.orderedMembers() ?? [] where given[member.key] == nil {
            let value = try FlowVariables.checked(member).value
            if case .scalar(.null, _) = value.content {
                guard variables.values[member.key] == nil else { continue }
                throw member.error(
                    "\(member.key) has no value. Give it: --env \(member.key)=…, or set it in the environment.")
            }
            variables.values[member.key] = try variables.value(of: value, named: member.key)
        }
        return variables
    }

    // MARK: Texts

    /// Returns the value with the variables' values in its texts.
    /// - Parameter hidesSecrets: leaves out the values of variables whose names are those of secrets.
    func filled(_ value: YAMLValue, hidesSecrets: Bool = false) throws(YAMLError) -> YAMLValue {
        try value.replacingScalars(key: FlowVariables.key) { (scalar) throws(YAMLError) in
            guard case .scalar(_, let text) = scalar.content, text.contains("${") else { return scalar.content }
            let filled = try self.value(of: scalar)
            return hidesSecrets ? filled.shownContent : filled.content
        }
    }

    /// Returns a key, in which `$${` is a literal `${`.
    /// - Throws: an error if it has a variable, because nothing replaces that.
    private static func key(_ member: YAMLValue.Member) throws(YAMLError) -> String {
        var key = ""
        for part in parts(of: member.key) {
            guard case .text(let text) = part else {
                throw member.error(
                    "A key has no variables; found \"\(member.key)\". Write the key itself, and for the characters ${ "
                        + "write $${.")
            }
            key += text
        }
        return key
    }

    /// The names of the variables in the texts of a value.
    static func names(in value: YAMLValue) -> Set<String> {
        switch value.content {
        case .scalar(_, let text): Set(parts(of: text).compactMap(\.name))
        case .sequence(let elements): elements.reduce(into: []) { $0.formUnion(names(in: $1)) }
        case .mapping(let members): members.reduce(into: []) { $0.formUnion(names(in: $1.value)) }
        }
    }

    /// A part of a text.
    private enum Part {
        case text(String)
        case variable(String)
        /// A `${` without an end.
        case open

        var name: String? { if case .variable(let name) = self { name } else { nil } }
    }

    private static func parts(of text: String) -> [Part] {
        var parts: [Part] = []
        var rest = text[...]
        while let start = rest.firstRange(of: "${") {
            let before = rest[..<start.lowerBound]
            rest = rest[start.upperBound...]
            guard !before.hasSuffix("$") else {
                parts.append(.text(String(before.dropLast()) + "${"))
                continue
            }
            if !before.isEmpty { parts.append(.text(String(before))) }
            guard let end = rest.firstIndex(of: "}") else { return parts + [.open] }
            parts.append(.variable(String(rest[..<end])))
            rest = rest[end...].dropFirst()
        }
        return rest.isEmpty ? parts : parts + [.text(String(rest))]
    }

    /// Returns a scalar's value. A text that is only `${NAME}` has the value of the variable, which may be a number.
    private func value(of scalar: YAMLValue) throws(YAMLError) -> Value {
        guard case .scalar(let json, _) = scalar.content else {
            throw scalar.error("Expected a text, found \(scalar.summary).")
        }
        let text = try scalar.text()
        guard text.contains("${") else { return Value(json: json, text: text, shown: text) }
        let parts = FlowVariables.parts(of: text)
        if parts.count == 1, let name = parts[0].name { return try variable(name, in: scalar) }
        var (filled, shown) = ("", "")
        var secrets: Set<FlowSecret> = []
        for part in parts {
            switch part {
            case .text(let text):
                filled += text
                shown += text
            case .variable(let name):
                let variable = try variable(name, in: scalar)
                filled += variable.text
                shown += variable.shown
                secrets.formUnion(variable.secrets)
            case .open: throw FlowVariables.mistake(in: scalar)
            }
        }
        return Value(json: .string(filled), text: filled, shown: shown, secrets: secrets)
    }

    private static func mistake(in scalar: YAMLValue) -> YAMLError {
        scalar.error("${ begins a variable: ${NAME}. For the characters themselves, write $${.")
    }

    private func variable(_ name: String, in scalar: YAMLValue) throws(YAMLError) -> Value {
        guard FlowInputs.isName(name) else { throw FlowVariables.mistake(in: scalar) }
        if let value = values[name] { return value }
        let nearest = EditDistance.nearest(to: name, in: values.keys.sorted()).map { "Did you mean \($0)? " } ?? ""
        throw scalar.error(
            "There is no variable \(name). \(nearest)Give it a value in env: or by --env \(name)=…; "
                + "for the characters themselves, write $${\(name)}.")
    }
}
