public import BridgeProtocol

/// A mistake or a remark that the linter reports.
public struct LintFinding: Sendable, Equatable {
    public enum Severity: String, Sendable, Comparable {
        /// A platform rejects the file or a pattern.
        case error
        /// The platforms accept it, but it is unlikely to do what was meant.
        case warning
        /// The platforms read it differently, which may be intended.
        case note

        public static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }
        private var rank: Int { self == .error ? 0 : self == .warning ? 1 : 2 }
    }

    public let severity: Severity
    /// An identifier for programs, such as `unknownKey`.
    public let code: String
    /// The path of the value that the finding is about. `nil` if the text is not JSON.
    public let path: JSONPath?
    public let line: Int
    public let column: Int
    public let message: String
    public let fix: String
    /// The invalid pattern and the place of the mistake in it.
    public let pattern: InvalidPattern?
}

extension LintFinding: JSONObject {
    public var members: JSONMembers {
        [
            "severity": severity.rawValue, "code": code, "line": line, "column": column, "path": path?.description,
            "message": message, "fix": fix, "pattern": pattern?.pattern, "offset": pattern?.offset,
        ]
    }
}
