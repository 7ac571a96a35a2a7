/// The code of a problem or the reason of a verdict, with the page of the documentation that has the rule. Each module
/// declares its own as static members.
public struct ProblemCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    /// A page in `docs`, such as `security.md#tls`; nil for a code that was read from a record, and for an app's own.
    package let page: String?

    public init(_ code: String, page: String = "verdicts.md") { (rawValue, self.page) = (code, page) }

    /// Makes a code whose rule is on no page of the documentation, such as an app's own.
    public init(rawValue: String) { (self.rawValue, page) = (rawValue, nil) }

    public static func == (one: ProblemCode, other: ProblemCode) -> Bool { one.rawValue == other.rawValue }

    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    /// The hint, followed by the page with the rule.
    package func linked(_ hint: String) -> String {
        let link = page.map { " See docs/\($0)." } ?? ""
        return hint.hasSuffix(link) ? hint : sentence(hint) + link
    }
}

extension RPCError {
    /// The error with the page that explains its code, as `see` in its data. Errors of scripts and of handlers have none.
    package var withPage: RPCError { code.rawValue < 0 && code != .handlerRejected ? seeing(code.page) : self }

    /// The error with a page of the documentation in its data.
    package func seeing(_ page: String) -> RPCError {
        var members: [JSONValue.Member] = []
        if case .object(let found)? = data { members = found } else if data != nil { return self }
        return RPCError(code, message, data: .object(members + [.init("see", .string("docs/\(page)"))]))
    }
}

extension RPCError.Code {
    /// The page with the meaning of the code.
    package var page: String {
        switch self {
        case .parseError, .invalidRequest, .methodNotFound, .invalidParams, .internalError: "control.md#errors"
        default: "protocol.md#errors-in-results"
        }
    }
}
