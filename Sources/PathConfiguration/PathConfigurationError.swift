import BridgeProtocol

/// Why a text is no path configuration that the platforms take, where, and what to do about it.
public struct PathConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// From 1; nil where the text's lines are not known.
    public private(set) var line: Int?
    public private(set) var column: Int?
    /// Nil for text that is not JSON.
    public let path: JSONPath?
    /// What was expected and what came.
    public let message: String
    public let fix: String

    init(_ path: JSONPath, expected: String, found: JSON?, fix: String) {
        self.path = path
        message = "expected \(expected), found \(found?.summary ?? "nothing")"
        self.fix = fix
    }

    /// A pattern that was skipped.
    init(_ error: InvalidPattern, at path: JSONPath) {
        self.path = path
        message = "\(JSONValue.string(error.pattern)) is no regular expression: \(error.reason), so that it is skipped"
        fix = error.fix
    }

    init(_ error: JSONParseError) {
        line = max(1, error.line)
        column = max(1, error.column)
        path = nil
        message = "this is not JSON: \(error.message)"
        fix =
            switch error.cause {
            case .invalidUTF8: "Save the file as UTF-8."
            case .tooDeep: "At most 2,048 levels of nesting are read."
            case .syntax, .prematureEnd, .nulInKey, .numberTooLarge, .other:
                "JSON has no comments, and no comma after the last element."
            }
    }

    func placed(_ places: JSONPlaces) -> PathConfigurationError {
        guard let path else { return self }
        var copy = self
        let place = places.place(of: path)
        copy.line = place.line
        copy.column = place.column
        return copy
    }

    public var description: String {
        let place = line.map { "line \($0)" + (path.map { ", \($0)" } ?? ", column \(column ?? 1)") }
        return "\(place ?? path?.description ?? ""): \(message). \(fix)"
    }
}
