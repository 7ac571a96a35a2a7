public import BridgeProtocol

/// Something that the linter has to say.
public struct LintFinding: Sendable, Equatable {
    public enum Severity: String, Sendable, Comparable {
        /// A platform refuses the file, or a pattern.
        case error
        /// It is taken, and hardly does what was meant.
        case warning
        /// The platforms differ; it may well be meant.
        case note

        public static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }
        private var rank: Int { self == .error ? 0 : self == .warning ? 1 : 2 }
    }

    public let severity: Severity
    /// A word for programs, such as `unknownKey`.
    public let code: String
    /// Nil for text that is not JSON.
    public let path: JSONPath?
    public let line: Int
    public let column: Int
    public let message: String
    public let fix: String
    /// The pattern that goes wrong, and the character at which it does.
    public let pattern: InvalidPattern?
}

extension LintFinding: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("severity", severity.rawValue)
            writer.member("code", code)
            writer.member("line", line)
            writer.member("column", column)
            writer.member("path", ifPresent: path?.description)
            writer.member("message", message)
            writer.member("fix", fix)
            writer.member("pattern", ifPresent: pattern?.pattern)
            writer.member("offset", ifPresent: pattern.map { JSONValue.number(Double($0.offset)) })
        }
    }
}
