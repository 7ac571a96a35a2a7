public import BridgeProtocol

/// One thing that the doctor found.
public struct Finding: Sendable, Equatable {
    public enum Severity: String, Sendable, CaseIterable {
        /// The bridge does not work, or a part of it.
        case error
        /// It may not work, or not everywhere.
        case warning
        /// Worth knowing.
        case note
        /// As it should be.
        case ok
    }

    public let severity: Severity
    /// One word for programs.
    public let code: String
    /// What was found.
    public let text: String
    /// What to do about it; empty for what is as it should be.
    public let fix: String

    init(_ severity: Severity, _ code: String, _ text: String, fix: String = "") {
        self.severity = severity
        self.code = code
        self.text = text
        self.fix = fix
    }
}

extension [Finding] {
    /// Worst first.
    public var inOrder: [Finding] {
        Finding.Severity.allCases.flatMap { severity in filter { $0.severity == severity } }
    }
}

extension Finding: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("severity", severity.rawValue)
            writer.member("code", code)
            writer.member("text", text)
            if !fix.isEmpty { writer.member("fix", fix) }
        }
    }
}
