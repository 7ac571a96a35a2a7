public import BridgeProtocol

/// One thing that `bridged doctor` found out about a page.
public struct Finding: Sendable, Equatable {
    public enum Severity: String, Sendable, CaseIterable {
        /// The bridge, or a part of it, does not work.
        case error
        /// The bridge may not work, or not in every browser.
        case warning
        /// Useful to know.
        case note
        /// This part works.
        case ok
    }

    public let severity: Severity
    /// One word for programs.
    public let code: String
    /// What was found.
    public let text: String
    /// What to do about it; empty if nothing is wrong.
    public let fix: String

    init(_ severity: Severity, _ code: String, _ text: String, fix: String = "") {
        self.severity = severity
        self.code = code
        self.text = text
        self.fix = fix
    }
}

extension [Finding] {
    static func one(_ severity: Finding.Severity, _ code: String, _ text: String, fix: String = "") -> [Finding] {
        [Finding(severity, code, text, fix: fix)]
    }

    /// The findings, the worst first.
    public var inOrder: [Finding] {
        Finding.Severity.allCases.flatMap { severity in filter { $0.severity == severity } }
    }
}

extension Finding: JSONObject {
    public var members: JSONMembers {
        ["severity": severity.rawValue, "code": code, "text": text, "fix": fix.isEmpty ? nil : fix]
    }
}
