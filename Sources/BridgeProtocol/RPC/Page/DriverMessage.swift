/// What the driver of a page asks the daemon, or reports to it, apart from what every page says.
public enum DriverMessage: MethodCall, JSONObject {
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

    private var parts: (method: PageMethod, members: JSONMembers) {
        switch self {
        case .decide(let question): (.decide, question.members)
        case .started(let url): (.started, ["url": url])
        case .redirected(let url): (.redirected, ["url": url])
        case .failed(let failure): (.failed, failure.members)
        case .historyChanged(let history): (.historyChanged, history.members)
        case .progressed(let value): (.progressed, ["value": value])
        case .dialog(let question): (.dialog, question.members)
        case .openWindow(let url): (.openWindow, ["url": url])
        case .processTerminated: (.processTerminated, [:])
        case .finished(let request): (.finished, request.members)
        case .problem(let problem): (.problem, problem.members)
        }
    }

    public var method: String { parts.method.rawValue }
    public var members: JSONMembers { parts.members }

    /// - Throws: `methodNotFound`, or `invalidParams` that names the member.
    init(_ method: PageMethod, _ params: JSON) throws(RPCError) {
        switch method {
        case .decide: self = .decide(try NavigationQuestion(params: params))
        case .started: self = .started(url: try Place(params: params).url)
        case .redirected: self = .redirected(url: try Place(params: params).url)
        case .failed: self = .failed(try NavigationFailure(params: params))
        case .historyChanged: self = .historyChanged(try NavigationHistory(params: params))
        case .progressed: self = .progressed(try JSON.decodeParams(Progress.self, from: params).value)
        case .dialog: self = .dialog(try JSON.decodeParams(DialogQuestion.self, from: params))
        case .openWindow: self = .openWindow(url: try Place(params: params).url)
        case .processTerminated: self = .processTerminated
        case .finished: self = .finished(try FinishedRequest(params: params))
        case .problem: self = .problem(try DriverProblem(params: params))
        case .attach, .post, .update, .console, .observed, .call: throw .methodNotFound(method.rawValue)
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
public struct NavigationQuestion: JSONObject, Decodable, Sendable, Equatable {
    /// Why a load begins, as in `WKNavigationType`. `script` is one of `other` that the page itself begins, by a script or
    /// a `<meta http-equiv="refresh">`.
    public enum Kind: String, Decodable, Sendable {
        case link, form, backForward, reload, formResubmitted, script, other
    }

    /// A response that has arrived, but is not shown yet.
    public struct Response: JSONObject, Decodable, Sendable, Equatable {
        public let status: Int?
        public fileprivate(set) var mimeType: String?
        /// The field `Content-Disposition`, which may say that the response is to be saved.
        public fileprivate(set) var disposition: String?

        package init(status: Int?, mimeType: String?, disposition: String? = nil) {
            (self.status, self.mimeType, self.disposition) = (status, mimeType, disposition)
        }

        public var members: JSONMembers { ["status": status, "mimeType": mimeType, "disposition": disposition] }
    }

    public package(set) var url: String
    public let type: Kind?
    public let isMainFrame: Bool
    /// False if the load would open a window, as with `target="_blank"`.
    public let hasTargetFrame: Bool?
    /// Whether the request has the method POST. nil if the driver does not know it.
    public let isPost: Bool?
    /// The response, if the question is whether to show it.
    public private(set) var response: Response?

    package init(
        _ url: String, _ type: Kind? = nil, isMainFrame: Bool = true, hasTargetFrame: Bool? = nil, isPost: Bool? = nil,
        response: Response? = nil
    ) {
        (self.url, self.type, self.isMainFrame) = (url, type, isMainFrame)
        (self.hasTargetFrame, self.isPost, self.response) = (hasTargetFrame, isPost, response)
    }

    public var members: JSONMembers {
        [
            "url": url, "type": type?.rawValue, "isMainFrame": isMainFrame, "hasTargetFrame": hasTargetFrame,
            "isPost": isPost, "response": response,
        ]
    }

    /// Reads the params, and cuts the texts that pages and servers choose: a driver takes an error as permission to
    /// load.
    init(params: JSON) throws(RPCError) {
        self = try JSON.decodeParams(Self.self, from: params)
        if let type = response?.mimeType { response?.mimeType = PageText.cut(type, to: PageText.handler) }
        if let text = response?.disposition { response?.disposition = PageText.cut(text, to: PageText.title) }
        url = PageText.cut(url, to: PageText.url)
    }
}

/// The result of `navigation.decide` and of `window.open`.
public enum NavigationDecision: JSONObject, Sendable, Equatable {
    case refused
    /// The load may begin, the response may be shown, or the window is one of the page's own web view: its popup.
    case allowed
    /// The window stands for the web view of this name.
    case webView(String)

    package init(isAllowed: Bool) { self = isAllowed ? .allowed : .refused }

    package init(_ json: JSON) {
        if let name = json["webView"]?.string {
            self = .webView(name)
        } else {
            self.init(isAllowed: json["policy"]?.string == "allow")
        }
    }

    public var members: JSONMembers {
        switch self {
        case .refused: ["policy": "cancel"]
        case .allowed: ["policy": "allow"]
        case .webView(let name): ["webView": name]
        }
    }
}

/// The params of `navigation.failed`: a load of the main frame has failed.
public struct NavigationFailure: JSONObject, Decodable, Sendable, Equatable {
    public private(set) var url: String
    /// The domain and the code of the error that iOS gives, such as `NSURLErrorDomain` and -1004.
    public let domain: String
    public let code: Int
    public private(set) var text: String
    /// Whether the load failed before its document was shown.
    public let isProvisional: Bool

    package init(url: String, domain: String, code: Int, text: String, isProvisional: Bool) {
        (self.url, self.domain, self.code, self.text) = (url, domain, code, text)
        self.isProvisional = isProvisional
    }

    public var members: JSONMembers {
        ["url": url, "domain": domain, "code": code, "text": text, "isProvisional": isProvisional]
    }

    init(params: JSON) throws(RPCError) {
        self = try JSON.decodeParams(Self.self, from: params)
        try PageText.check(domain, PageText.handler, at: "/domain")
        url = PageText.cut(url, to: PageText.url)
        text = PageText.cut(text, to: PageText.title)
    }
}

/// The params of `driver.problem`.
public struct DriverProblem: JSONObject, Decodable, Sendable, Equatable {
    /// The code of the problem's record.
    public let code: String
    public private(set) var text: String

    package init(code: String, text: String) { (self.code, self.text) = (code, text) }

    public var members: JSONMembers { ["code": code, "text": text] }

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
public struct DialogQuestion: JSONObject, Decodable, Sendable, Equatable {
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

    package init(
        _ type: Kind, text: String = "", default: String? = nil, multiple: Bool? = nil, devices: [CaptureDevice]? = nil,
        challenge: AuthenticationChallenge? = nil
    ) {
        (self.type, self.text, self.default, self.multiple) = (type, text, `default`, multiple)
        (self.devices, self.challenge) = (devices, challenge)
    }

    public var members: JSONMembers {
        [
            "type": type.rawValue, "text": text, "default": self.default, "multiple": multiple,
            "devices": devices?.map(\.rawValue), "challenge": challenge?.json,
        ]
    }
}

/// The result of `dialog.show`.
public struct DialogReply: JSONObject, Sendable, Equatable {
    public let isConfirmed: Bool
    /// The text of a prompt.
    public let text: String?
    /// The paths of the files that were chosen in an open panel.
    public let files: [String]?
    /// Whether the browser asks its user for permission.
    public let prompts: Bool?
    /// Where the device is.
    public let position: DevicePosition?
    public let user: String?
    public let password: String?

    package init(
        isConfirmed: Bool, text: String? = nil, files: [String]? = nil, prompts: Bool? = nil,
        position: DevicePosition? = nil, user: String? = nil, password: String? = nil
    ) {
        (self.isConfirmed, self.text, self.files, self.prompts) = (isConfirmed, text, files, prompts)
        (self.position, self.user, self.password) = (position, user, password)
    }

    package init(_ json: JSON) {
        isConfirmed = json["confirmed"]?.bool ?? false
        text = json["text"]?.string
        files = json["files"]?.elements.compactMap(\.string)
        prompts = json["prompts"]?.bool
        position = json["position"].flatMap { DevicePosition($0) }
        (user, password) = (json["user"]?.string, json["password"]?.string)
    }

    public var members: JSONMembers {
        [
            "confirmed": isConfirmed, "text": text, "files": files, "prompts": prompts, "position": position,
            "user": user, "password": password,
        ]
    }
}
