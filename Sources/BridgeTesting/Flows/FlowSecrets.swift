import BridgeProtocol
import BridgeTraffic
import Foundation

/// A value of a variable whose name is that of a secret.
struct FlowSecret: Sendable, Hashable {
    let name: String
    let value: String
}

/// The secrets that a flow has from its variables. Their names stand for them in results and traces.
struct FlowSecrets: Sendable {
    /// What stands for each value.
    private let shown: [String: String]
    /// The texts as which the values may appear, the longest first, so that none is replaced within another one. They are
    /// bytes, because a character is not found where another one joins it.
    private let texts: [(bytes: [UInt8], shown: String)]

    /// How much of a secret has to be there, if a message has cut the rest.
    private static let shortestCut = 8

    init(_ secrets: Set<FlowSecret> = []) {
        shown = Dictionary(
            secrets.filter { !$0.value.isEmpty }.map { ($0.value, "${\($0.name)}") }, uniquingKeysWith: min)
        texts = shown.flatMap { value, shown in
            Set(FlowSecrets.forms(of: value)).map { (Array($0.utf8), shown) }
        }.sorted { ($1.0.count, $0.1) < ($0.0.count, $1.1) }
    }

    /// The value as it is, within JSON, within a URL, and within a form.
    private static func forms(of value: String) -> [String] {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()")
        let encoded = value.addingPercentEncoding(withAllowedCharacters: unreserved) ?? value
        let quoted = JSONValue.string(value).text.dropFirst().dropLast()
        return [value, String(quoted), encoded, encoded.replacing("%20", with: "+")]
    }

    /// The names of the variables.
    var names: [String] { shown.values.map { String($0.dropFirst(2).dropLast()) }.sorted() }

    func removed(from text: String) -> String {
        guard !texts.isEmpty else { return text }
        let bytes = Array(text.utf8)
        var (kept, index): ([UInt8], Int) = ([], 0)
        while index < bytes.count {
            if let (count, shown) = secret(at: index, of: bytes) {
                kept += shown.utf8
                index += count
            } else {
                kept.append(bytes[index])
                index += 1
            }
        }
        return kept.count == bytes.count && kept == bytes ? text : String(decoding: kept, as: UTF8.self)
    }

    private func secret(at index: Int, of bytes: [UInt8]) -> (count: Int, shown: String)? {
        for (secret, shown) in texts where secret.first == bytes[index] {
            let count = zip(bytes[index...], secret).prefix { $0 == $1 }.count
            if count == secret.count { return (count, shown) }
            let isCut = ["\"", "…"].contains { bytes[(index + count)...].starts(with: $0.utf8) }
            if isCut, count >= FlowSecrets.shortestCut { return (count, shown) }
        }
        return nil
    }

    /// Removes secrets from the texts of a JSON text, which stays one.
    func removed(fromJSON text: String) -> String {
        let plain = removed(from: text)
        guard plain != text, let json = try? JSON.parse(text) else { return plain }
        return removed(fromValue: JSONValue(json)).text
    }

    private func removed(fromValue json: JSONValue) -> JSONValue {
        switch json {
        case .string(let text): .string(removed(from: text))
        // A message may have a PIN as a number. A shorter one would hide the number of a step or a record.
        case .number where json.text.utf8.count > 3: shown[json.text].map { .string($0) } ?? json
        case .array(let elements): .array(elements.map(removed(fromValue:)))
        case .object(let members): .object(members.map { .init($0.key, removed(fromValue: $0.value)) })
        default: json
        }
    }

    func removed(from failure: FlowFailure) -> FlowFailure {
        FlowFailure(
            step: failure.step, expected: removed(from: failure.expected), found: removed(from: failure.found),
            records: failure.records.compactMap(removed(from:)))
    }

    /// - Returns: nil if nothing would be left of it.
    func removed(from record: TrafficRecord) -> TrafficRecord? {
        let text = removed(fromJSON: record.text)
        return text == record.text ? record : TrafficRecord(line: text.utf8)
    }
}

extension FlowResult {
    /// Puts the names of the flow's secrets in place of their values.
    mutating func removeSecrets() {
        let secrets = flow.secrets
        failure = failure.map(secrets.removed(from:))
        laterFailures = laterFailures.map(secrets.removed(from:))
        findings = findings.map(secrets.removed(from:))
        notes = notes.map(secrets.removed(from:))
        navigations = navigations.map { FlowNavigation(step: $0.step, stacks: secrets.removed(from: $0.stacks)) }
        events = events.map { FlowEvent(step: $0.step, kind: $0.kind, text: secrets.removed(from: $0.text)) }
    }
}
