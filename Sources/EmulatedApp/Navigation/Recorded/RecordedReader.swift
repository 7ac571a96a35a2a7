public import BridgeProtocol
import Foundation
public import PathConfiguration

/// Why a recorded case can't be run: which one, where in it, what was expected.
public struct RecordedCaseError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Nil where the case has none.
    public let id: String?
    public let path: JSONPath
    public let expected: String
    public let found: String

    public var description: String { "\(path): expected \(expected), found \(found)" }
}

extension RecordedCaseError: JSONWritable {
    /// `id` and `error`, in place of a result.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", (id.map(JSONValue.string) ?? .null))
            writer.member("error", description)
        }
    }
}

/// One value of a case, and the way to it.
struct RecordedReader {
    let id: String?
    let path: JSONPath
    let json: JSON?

    func member(_ name: String) throws(RecordedCaseError) -> Present {
        try Present(self, path.member(name), json?[name])
    }

    /// Nil also for `null`.
    func optional(_ name: String) -> Present? {
        json?[name]?.isNull == false ? try? member(name) : nil
    }

    func mistake(_ expected: String) -> RecordedCaseError {
        RecordedCaseError(id: id, path: path, expected: expected, found: json?.summary ?? "nothing")
    }

    /// A value that is there.
    struct Present {
        let reader: RecordedReader
        let json: JSON

        fileprivate init(_ parent: RecordedReader, _ path: JSONPath, _ json: JSON?) throws(RecordedCaseError) {
            reader = RecordedReader(id: parent.id, path: path, json: json)
            guard let json else { throw reader.mistake("a value") }
            self.json = json
        }

        func text() throws(RecordedCaseError) -> String {
            guard let text = json.string else { throw reader.mistake("a string") }
            return text
        }

        func flag() throws(RecordedCaseError) -> Bool {
            guard let flag = json.bool else { throw reader.mistake("true or false") }
            return flag
        }

        func url() throws(RecordedCaseError) -> URL {
            guard let text = json.string, let url = URL(string: text) else { throw reader.mistake("a URL") }
            return url
        }

        func action() throws(RecordedCaseError) -> VisitAction {
            guard let action = json.string.flatMap(VisitAction.init) else {
                throw reader.mistake("one of \(VisitAction.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            return action
        }

        func properties() throws(RecordedCaseError) -> PathProperties {
            guard json.kind == .object else { throw reader.mistake("an object of properties") }
            return PathProperties(json)
        }

        func member(_ name: String) throws(RecordedCaseError) -> Present { try reader.member(name) }

        func elements<Value>(
            _ read: (Present) throws(RecordedCaseError) -> Value
        ) throws(RecordedCaseError) -> [Value] {
            guard json.kind == .array else { throw reader.mistake("a list") }
            var values: [Value] = []
            for index in 0..<json.count {
                values.append(try read(Present(reader, reader.path.element(index), json[index])))
            }
            return values
        }
    }
}

extension NavigationStep {
    /// Reads `{"visit": {…}}` and its siblings.
    init(_ step: RecordedReader.Present) throws(RecordedCaseError) {
        let expected = "an object with one of the keys \(NavigationStep.names.joined(separator: ", "))"
        guard step.json.count == 1, let name = NavigationStep.names.first(where: { step.json[$0] != nil }) else {
            throw step.reader.mistake(expected)
        }
        let content = try step.member(name)
        guard content.json.kind == .object else { throw content.reader.mistake("an object") }
        switch name {
        case "visit":
            self = .visit(
                try content.member("url").url(), try content.member("action").action(),
                redirected: try content.reader.optional("redirected")?.flag() ?? false)
        case "route":
            self = .route(
                try content.member("url").url(), try content.member("action").action(),
                try content.reader.optional("properties")?.properties())
        case "crossOriginRedirect": self = .crossOriginRedirect(try content.member("url").url())
        case "pop": self = .pop
        case "clearAll": self = .clearAll
        case "start": self = .start
        case "back": self = .back
        default: self = .dismissModal
        }
    }
}
