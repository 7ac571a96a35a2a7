/// What the driver of a page asks the daemon, or reports to it, apart from what every page says.
public enum DriverMessage: Sendable {
    /// `navigation.decide`: whether a load may begin, or its response may be shown.
    case decide(NavigationQuestion)
    /// `navigation.started`: the main frame has begun to load a URL.
    case started(url: String)
    /// `navigation.redirected`: the server has redirected the load to this URL.
    case redirected(url: String)
    /// `navigation.failed`
    case failed(NavigationFailure)
    /// `history.changed`: the back/forward list of the main frame is another one.
    case historyChanged(NavigationHistory)
    /// `progress.changed`: how much of the main frame's document has loaded, from 0 to 1.
    case progressed(Double)
    /// `dialog.show`: the page waits for the answer to a dialog.
    case dialog(DialogQuestion)
    /// `window.open`: the page opens a window.
    case openWindow(url: String)
    /// `process.terminated`: the process that ran the page has ended.
    case processTerminated
    /// `request.finished`: a request of the page has ended.
    case finished(FinishedRequest)
    /// `driver.problem`: the driver could not do something.
    case problem(DriverProblem)

    public var method: String {
        switch self {
        case .decide: "navigation.decide"
        case .started: "navigation.started"
        case .redirected: "navigation.redirected"
        case .failed: "navigation.failed"
        case .historyChanged: "history.changed"
        case .progressed: "progress.changed"
        case .dialog: "dialog.show"
        case .openWindow: "window.open"
        case .processTerminated: "process.terminated"
        case .finished: "request.finished"
        case .problem: "driver.problem"
        }
    }

    /// - Throws: `methodNotFound`, or `invalidParams` that names the member.
    init(_ method: String, _ params: JSON) throws(RPCError) {
        switch method {
        case "navigation.decide": self = .decide(try NavigationQuestion(params: params))
        case "navigation.started": self = .started(url: try Place(params: params).url)
        case "navigation.redirected": self = .redirected(url: try Place(params: params).url)
        case "navigation.failed": self = .failed(try NavigationFailure(params: params))
        case "history.changed": self = .historyChanged(try NavigationHistory(params: params))
        case "progress.changed": self = .progressed(try JSON.decodeParams(Progress.self, from: params).value)
        case "dialog.show": self = .dialog(try JSON.decodeParams(DialogQuestion.self, from: params))
        case "window.open": self = .openWindow(url: try Place(params: params).url)
        case "process.terminated": self = .processTerminated
        case "request.finished": self = .finished(try FinishedRequest(params: params))
        case "driver.problem": self = .problem(try DriverProblem(params: params))
        default: throw .methodNotFound(method)
        }
    }

    private struct Progress: Decodable {
        let value: Double
    }

    private struct Place: Decodable {
        private(set) var url: String

        init(params: JSON) throws(RPCError) {
            self = try JSON.decodeParams(Self.self, from: params)
            url = PageText.cut(url, to: PageText.url)
        }
    }
}

/// The params of `navigation.decide`.
public struct NavigationQuestion: Decodable, Sendable, Equatable {
    /// Why a load begins, as in `WKNavigationType`. `script` is one of `other` that the page itself begins, by a script or
    /// a `<meta http-equiv="refresh">`.
    public enum Kind: String, Decodable, Sendable {
        case link, form, backForward, reload, formResubmitted, script, other
    }

    /// A response that has arrived, but is not shown yet.
    public struct Response: Decodable, Sendable, Equatable {
        public let status: Int?
        public fileprivate(set) var mimeType: String?
    }

    public private(set) var url: String
    public let type: Kind?
    public let isMainFrame: Bool
    /// False if the load would open a window, as with `target="_blank"`.
    public let hasTargetFrame: Bool?
    /// Whether the request has the method POST. nil if the driver does not know it.
    public let isPost: Bool?
    /// The response, if the question is whether to show it.
    public private(set) var response: Response?

    /// A load of the main frame that a page with the script tag begins.
    package init(_ url: String, _ type: Kind, isPost: Bool?) {
        self.url = PageText.cut(url, to: PageText.url)
        (self.type, isMainFrame, hasTargetFrame, self.isPost) = (type, true, true, isPost)
    }

    /// Reads the params, and cuts the texts that pages and servers choose: a driver takes an error as permission to
    /// load.
    init(params: JSON) throws(RPCError) {
        self = try JSON.decodeParams(Self.self, from: params)
        if let type = response?.mimeType { response?.mimeType = PageText.cut(type, to: PageText.handler) }
        url = PageText.cut(url, to: PageText.url)
    }
}

/// The params of `navigation.failed`: a load of the main frame has failed.
public struct NavigationFailure: Decodable, Sendable, Equatable {
    public private(set) var url: String
    /// The domain and the code of the error that iOS gives, such as `NSURLErrorDomain` and -1004.
    public let domain: String
    public let code: Int
    public private(set) var text: String
    /// Whether the load failed before its document was shown.
    public let isProvisional: Bool

    init(params: JSON) throws(RPCError) {
        self = try JSON.decodeParams(Self.self, from: params)
        try PageText.check(domain, PageText.handler, at: "/domain")
        url = PageText.cut(url, to: PageText.url)
        text = PageText.cut(text, to: PageText.title)
    }
}

/// The params of `driver.problem`.
public struct DriverProblem: Decodable, Sendable, Equatable {
    /// The code of the problem's record.
    public let code: String
    public private(set) var text: String

    init(params: JSON) throws(RPCError) {
        self = try JSON.decodeParams(Self.self, from: params)
        try PageText.check(code, PageText.word, at: "/code")
        text = PageText.cut(text, to: PageText.title)
    }
}

/// A device that `getUserMedia` asks for.
public enum CaptureDevice: String, Decodable, Sendable, CaseIterable { case camera, microphone }

/// A server's question for a user name and a password, with the status 401 or 407.
public struct AuthenticationChallenge: Codable, Sendable, Equatable {
    public let host: String
    public let port: Int?
    /// `basic`, `digest` or another scheme of the header `WWW-Authenticate`, in lower case.
    public let scheme: String
    public let realm: String

    package init(host: String, port: Int?, scheme: String, realm: String) {
        self.host = PageText.cut(host, to: PageText.handler)
        self.port = port
        self.scheme = PageText.cut(scheme.lowercased(), to: PageText.word)
        self.realm = PageText.cut(realm, to: PageText.handler)
    }

    /// Reads the body of a message to `window.authentication`.
    package init?(_ body: JSON) {
        guard let host = body["host"]?.string else { return nil }
        self.init(
            host: host, port: body["port"]?.wholeNumber, scheme: body["scheme"]?.string ?? "",
            realm: body["realm"]?.string ?? "")
    }

    package var json: JSONValue {
        [
            "host": .string(host), "port": port.map { .number(Double($0)) } ?? .null, "scheme": .string(scheme),
            "realm": .string(realm),
        ]
    }
}

extension AuthenticationChallenge: CustomStringConvertible {
    /// `staging.example:443, "Staging" (basic)`
    public var description: String { "\(host)\(port.map { ":\($0)" } ?? ""), \"\(realm)\" (\(scheme))" }
}

/// The params of `dialog.show`.
public struct DialogQuestion: Decodable, Sendable, Equatable {
    public let type: Kind
    public let text: String
    /// The text that a prompt suggests.
    public let `default`: String?
    /// Whether the user may choose several files in an open panel.
    public let multiple: Bool?
    /// The devices with which the page wants to record.
    public let devices: [CaptureDevice]?
    /// The server that asks for a user name and a password.
    public let challenge: AuthenticationChallenge?

    /// The kind of dialog. An open panel is that of an `<input type="file">`, a media capture that of `getUserMedia`, a
    /// geolocation that of `navigator.geolocation`, and an authentication the question of a server for a user name and
    /// a password (RFC 7617, 7616).
    public enum Kind: String, Decodable, Sendable, CaseIterable {
        case alert, confirm, prompt, openPanel, mediaCapture, geolocation, authentication
    }
}
