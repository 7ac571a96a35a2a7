public import BridgeProtocol
import Foundation
public import PathConfiguration

/// The reason why a recorded case cannot be run: the case, the place in it, and what was expected and found there.
public struct RecordedCaseError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The case's id; nil if it has none.
    public let id: String?
    public let path: JSONPath
    public let expected: String
    public let found: String

    public var description: String { "\(path): expected \(expected), found \(found)" }
}

extension RecordedCaseError: JSONObject {
    /// `id` and `error`, in place of a result.
    public var members: JSONMembers { ["id": JSONValue(text: id), "error": description] }
}

/// Reads one value of a case, and knows the path to it for errors.
struct RecordedReader {
    let id: String?
    let path: JSONPath
    let json: JSON

    func member(_ name: String) throws(RecordedCaseError) -> RecordedReader {
        guard let member = json[name] else {
            throw RecordedCaseError(id: id, path: path.member(name), expected: "a value", found: "nothing")
        }
        return RecordedReader(id: id, path: path.member(name), json: member)
    }

    /// Returns nil if the member is missing or `null`.
    func optional(_ name: String) -> RecordedReader? {
        json[name]?.isNull == false ? try? member(name) : nil
    }

    func text() throws(RecordedCaseError) -> String { try value(json.string, "a string") }
    func flag() throws(RecordedCaseError) -> Bool { try value(json.bool, "true or false") }
    func url() throws(RecordedCaseError) -> URL { try value(json.string.flatMap { URL(string: $0) }, "a URL") }

    func action() throws(RecordedCaseError) -> VisitAction {
        try value(
            json.string.flatMap(VisitAction.init),
            "one of \(VisitAction.allCases.map(\.rawValue).joined(separator: ", "))")
    }

    func properties() throws(RecordedCaseError) -> PathProperties {
        try value(json.kind == .object ? PathProperties(json) : nil, "an object of properties")
    }

    func elements<Value>(
        _ read: (RecordedReader) throws(RecordedCaseError) -> Value
    ) throws(RecordedCaseError) -> [Value] {
        guard json.kind == .array else { throw error(expected: "a list") }
        var values: [Value] = []
        for index in 0..<json.count {
            guard let element = json[index] else { continue }
            values.append(try read(RecordedReader(id: id, path: path.element(index), json: element)))
        }
        return values
    }

    func error(expected: String) -> RecordedCaseError {
        RecordedCaseError(id: id, path: path, expected: expected, found: json.summary)
    }

    private func value<Value>(_ value: Value?, _ expected: String) throws(RecordedCaseError) -> Value {
        guard let value else { throw error(expected: expected) }
        return value
    }
}

extension NavigationStep {
    /// Reads a step, such as `{"visit": {…}}`.
    init(_ step: RecordedReader) throws(RecordedCaseError) {
        let expected = "an object with one of the keys \(NavigationStep.names.joined(separator: ", "))"
        guard step.json.count == 1, let name = NavigationStep.names.first(where: { step.json[$0] != nil }) else {
            throw step.error(expected: expected)
        }
        let content = try step.member(name)
        guard content.json.kind == .object else { throw content.error(expected: "an object") }
        switch name {
        case "visit":
            self = .visit(
                try content.member("url").url(), try content.member("action").action(),
                redirected: try content.optional("redirected")?.flag() ?? false)
        case "route":
            self = .route(
                try content.member("url").url(), try content.member("action").action(),
                try content.optional("properties")?.properties())
        case "crossOriginRedirect": self = .crossOriginRedirect(try content.member("url").url())
        case "pop": self = .pop
        case "clearAll": self = .clearAll
        case "start": self = .start
        case "back": self = .back
        default: self = .dismissModal
        }
    }
}
