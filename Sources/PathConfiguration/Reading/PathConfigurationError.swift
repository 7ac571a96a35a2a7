import BridgeProtocol

/// The reason why a text is not a path configuration that the platforms accept, its place, and a fix.
public struct PathConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The line, from 1. `nil` if the configuration was not read from a text of its own.
    public private(set) var line: Int?
    public private(set) var column: Int?
    /// The path of the value that is wrong. `nil` if the text is not JSON.
    public let path: JSONPath?
    /// Describes what was expected and what was found.
    public let message: String
    public let fix: String

    init(_ path: JSONPath, expected: String, found: JSON?, fix: String) {
        self.path = path
        message = "expected \(expected), found \(found?.summary ?? "nothing")"
        self.fix = fix
    }

    /// Reports a pattern that was skipped.
    init(_ error: InvalidPattern, at path: JSONPath) {
        self.path = path
        message =
            "skipping \(JSONValue.string(error.pattern)), which is not a valid regular expression: \(error.reason)"
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
            case .tooDeep: "Use at most 2,048 levels of nesting."
            case .syntax, .prematureEnd, .nulInKey, .numberTooLarge, .tooManyValues, .other:
                "JSON has no comments, and no comma after the last element."
            }
    }

    /// The same error with the line and column of its path.
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
