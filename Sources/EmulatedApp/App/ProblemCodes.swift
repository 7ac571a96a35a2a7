public import BridgeProtocol

/// The problems that the app reports, beside those of components and proposals.
extension ProblemCode {
    static let componentNotRegistered = Self("componentNotRegistered", page: "emulate.md#an-older-build")
    static let componentReplyLost = Self("componentReplyLost", page: "components.md#why-nothing-happened")
    static let cookieKept = Self("cookieKept", page: "emulate.md#sign-in")
    static let doubleVisit = Self("doubleVisit", page: "notes/turbo.md")
    static let pathConfigurationFailed = Self("pathConfigurationFailed", page: "path-configuration.md")
    /// Turbo reports a visit that the app did not start.
    public static let otherVisit = Self("otherVisit", page: "emulate.md")
    static let patternSkipped = Self("patternSkipped", page: "path-configuration.md")
    static let screenNotRegistered = Self("screenNotRegistered", page: "emulate.md#an-older-build")
    static let scriptFailed = Self("scriptFailed", page: "emulate.md")
    static let slowPattern = Self("slowPattern", page: "path-configuration.md")
    static let tooManyTabs = Self("tooManyTabs", page: "emulate.md#tabs")
    package static let pageLost = Self("pageLost", page: "emulate.md")
}
