/// The methods that the daemon calls, of a page or only of its driver (docs/protocol.md).
public enum DaemonMethod: String, CaseIterable, Sendable {
    case acknowledge = "page.ack"
    case handlersChanged = "handlers.changed"
    case navigate = "page.navigate"
    case evaluate = "script.evaluate"
    case callAsync = "script.callAsync"
    case loadHTML = "page.loadHTML"
    case stop = "page.stop"
    case input = "page.input"
    case emulate = "page.emulate"
    case point = "page.point"
    case snapshot = "page.snapshot"
    case pdf = "page.pdf"
    case allCookies = "cookies.all"
    case setCookie = "cookies.set"
    case deleteCookie = "cookies.delete"
    case clearStorage = "storage.clear"
    case openWebView = "webView.open"
    case closeWebView = "webView.close"
}

/// What the daemon tells a page, or asks of it.
public enum DaemonMessage: MethodCall {
    /// All messages up to this one have been handled and logged.
    case acknowledge(seq: Int)
    indirect case handlersChanged(WebViewSettings)
    case navigate(PageNavigation)
    case run(PageScript)
    indirect case command(DriverCommand)

    public var method: String {
        switch self {
        case .acknowledge: DaemonMethod.acknowledge.rawValue
        case .handlersChanged: DaemonMethod.handlersChanged.rawValue
        case .navigate: DaemonMethod.navigate.rawValue
        case .run(let script): script.method
        case .command(let command): command.method
        }
    }

    public func writeMembers(to writer: inout JSONWriter) {
        switch self {
        case .acknowledge(let seq): DaemonMessage.writeAcknowledgement(seq, &writer)
        case .handlersChanged(let settings): settings.writeMembers(to: &writer)
        case .navigate(let navigation): navigation.writeMembers(to: &writer)
        case .run(let script): script.writeMembers(to: &writer)
        case .command(let command): command.writeMembers(to: &writer)
        }
    }

    /// Writes `page.ack`. The daemon sends one for many messages, and makes no `DaemonMessage` for it.
    public static func writeAcknowledgement(seq: Int, to writer: inout JSONWriter) {
        writer.notification(DaemonMethod.acknowledge.rawValue) { writeAcknowledgement(seq, &$0) }
    }

    @inline(__always) private static func writeAcknowledgement(_ seq: Int, _ writer: inout JSONWriter) {
        writer.member("seq", seq)
    }

    /// - Throws: `methodNotFound`, or `invalidParams` that names the member.
    public init(_ method: String, _ params: JSON?) throws(RPCError) {
        guard let known = DaemonMethod(rawValue: method) else { throw .methodNotFound(method) }
        let params = params ?? .null
        switch known {
        case .acknowledge: self = .acknowledge(seq: params["seq"]?.wholeNumber ?? 0)
        case .handlersChanged: self = .handlersChanged(WebViewSettings(params))
        case .navigate:
            guard let navigation = PageNavigation(params) else {
                throw .invalidParams(at: "", "expected url, reload or delta, found \(params.summary)")
            }
            self = .navigate(navigation)
        case .evaluate, .callAsync: self = .run(try PageScript(params))
        default: self = .command(try DriverCommand(known, params))
        }
    }
}

/// A script that native code runs in a page: the params of `script.evaluate` and `script.callAsync`.
public struct PageScript: MethodCall, JSONWritable {
    public enum Program: Sendable {
        /// A global program, like that of `evaluateJavaScript`.
        case script(source: String, sourceURL: String?)
        /// The body of an async function, like that of `callAsyncJavaScript`. The arguments are an object; the body sees
        /// each member as a variable of that name.
        case asyncFunction(body: String, arguments: ScriptValue)
    }

    public let program: Program
    /// The name of a content world of a driven page; nil for the page's own.
    public let world: String?

    public init(_ program: Program, world: String?) { (self.program, self.world) = (program, world) }

    public init(_ params: JSON) throws(RPCError) {
        world = params["world"]?.string
        if let source = params["source"]?.string {
            program = .script(source: source, sourceURL: params["sourceURL"]?.string)
        } else if let body = params["body"]?.string {
            program = .asyncFunction(body: body, arguments: try ScriptValue(params: params, key: "arguments"))
        } else {
            throw .invalidParams(at: "", "expected source, or body and arguments, found \(params.summary)")
        }
    }

    public var method: String {
        switch program {
        case .script: DaemonMethod.evaluate.rawValue
        case .asyncFunction: DaemonMethod.callAsync.rawValue
        }
    }

    public func writeMembers(to writer: inout JSONWriter) {
        switch program {
        case .script(let source, let sourceURL): PageScript.writeMembers(source, sourceURL, world, &writer)
        case .asyncFunction(let body, let arguments):
            writer.member("body", body)
            arguments.write(to: &writer, key: "arguments")
            writer.member("world", ifPresent: world)
        }
    }

    /// Writes `script.evaluate`. The daemon runs a script for many messages, and makes no `PageScript` for it: its copies
    /// would cost a hundredth of all that the daemon does.
    public static func write(
        id: RequestID, source: String, sourceURL: String?, world: String?, to writer: inout JSONWriter
    ) {
        writer.request(id: id, DaemonMethod.evaluate.rawValue) { writeMembers(source, sourceURL, world, &$0) }
    }

    @inline(__always) private static func writeMembers(
        _ source: String, _ sourceURL: String?, _ world: String?, _ writer: inout JSONWriter
    ) {
        writer.member("source", source)
        writer.member("sourceURL", ifPresent: sourceURL)
        writer.member("world", ifPresent: world)
    }

    public func write(to writer: inout JSONWriter) { writer.object(writeMembers) }
}

/// What the daemon asks of the driver of a page, and that is not a script.
public enum DriverCommand: MethodCall, JSONObject {
    /// Loads HTML as the document of its base URL, so that it has that URL's origin.
    case loadHTML(String, baseURL: String? = nil)
    case stop
    /// Does what a user does.
    case input(PageInput)
    case emulate(PageEmulation)
    /// Waits for an element, and points at it as a finger does. The result's value is `{reason?, isMissing?}`.
    indirect case point(PointerGesture, ElementTarget, within: Duration)
    /// Takes a picture: a PNG file in Base64.
    /// - Parameters:
    ///   - rect: left, top, width and height of the part; nil for everything.
    ///   - width: the width of the picture in points; nil for that of the part.
    ///   - scale: the pixels a point; nil for those of the screen.
    case snapshot(rect: [Double]? = nil, width: Double? = nil, scale: Double? = nil)
    /// Prints the document: a PDF file in Base64.
    case pdf
    case allCookies
    case setCookie(BrowserCookie)
    case deleteCookie(BrowserCookie)
    /// Deletes all cookies, and what pages of these origins have stored. The result's value lists the origins whose storage
    /// is left, because the browser has no command for it.
    case clearStorage(origins: [String])
    /// Opens a window with an empty document for another web view.
    case openWebView(String)
    case closeWebView

    private var parts: (method: DaemonMethod, members: JSONMembers) {
        switch self {
        case .loadHTML(let html, let baseURL): (.loadHTML, ["html": html, "baseURL": baseURL])
        case .stop: (.stop, [:])
        case .input(let input): (.input, input.members)
        case .emulate(let emulation): (.emulate, emulation.members)
        case .point(let gesture, let element, let timeout):
            (
                .point,
                [
                    "element": element.json, "gesture": gesture.name.rawValue, "to": gesture.destination?.json,
                    "timeoutMs": (timeout / .milliseconds(1)).rounded(),
                ]
            )
        case .snapshot(let rect, let width, let scale):
            (.snapshot, ["rect": rect, "width": width, "scale": scale])
        case .pdf: (.pdf, [:])
        case .allCookies: (.allCookies, [:])
        case .setCookie(let cookie): (.setCookie, ["cookie": cookie])
        case .deleteCookie(let cookie): (.deleteCookie, ["cookie": cookie])
        case .clearStorage(let origins): (.clearStorage, ["origins": origins])
        case .openWebView(let name): (.openWebView, ["name": name])
        case .closeWebView: (.closeWebView, [:])
        }
    }

    public var method: String { parts.method.rawValue }
    public var members: JSONMembers { parts.members }

    init(_ method: DaemonMethod, _ params: JSON) throws(RPCError) {
        switch method {
        case .loadHTML: self = .loadHTML(params["html"]?.string ?? "", baseURL: params["baseURL"]?.string)
        case .stop: self = .stop
        case .input: self = .input(try PageInput(params))
        case .emulate: self = .emulate(try PageEmulation(params))
        case .point:
            guard let element = params["element"].flatMap(ElementTarget.init) else {
                throw .invalidParams(at: "/element", "expected an element, found \(params["element"].summary)")
            }
            self = .point(
                try PointerGesture(params), element, within: .milliseconds(params["timeoutMs"]?.wholeNumber ?? 0))
        case .snapshot:
            let rect = params["rect"]?.elements.compactMap(\.number) ?? []
            self = .snapshot(
                rect: rect.count == 4 ? rect : nil, width: params["width"]?.number, scale: params["scale"]?.number)
        case .pdf: self = .pdf
        case .allCookies: self = .allCookies
        case .setCookie: self = .setCookie(BrowserCookie(params["cookie"] ?? .null))
        case .deleteCookie: self = .deleteCookie(BrowserCookie(params["cookie"] ?? .null))
        case .clearStorage:
            self = .clearStorage(origins: params["origins"]?.elements.compactMap(\.string) ?? [])
        case .openWebView: self = .openWebView(params["name"]?.string ?? "")
        case .closeWebView: self = .closeWebView
        case .acknowledge, .handlersChanged, .navigate, .evaluate, .callAsync: throw .methodNotFound(method.rawValue)
        }
    }
}

/// What a user does with a finger, or with a mouse.
public enum PointerGesture: Sendable, Equatable {
    case tap, hover
    case drag(to: ElementTarget)

    public enum Name: String, Sendable { case tap, hover, drag }

    public var name: Name {
        switch self {
        case .tap: .tap
        case .hover: .hover
        case .drag: .drag
        }
    }

    public var destination: ElementTarget? { if case .drag(let to) = self { to } else { nil } }

    init(_ params: JSON) throws(RPCError) {
        switch (params["gesture"]?.string.flatMap(Name.init), params["to"].flatMap(ElementTarget.init)) {
        case (.tap?, nil): self = .tap
        case (.hover?, nil): self = .hover
        case (.drag?, let to?): self = .drag(to: to)
        default: throw .invalidParams(at: "/gesture", "expected tap, hover, or drag and to, found \(params.summary)")
        }
    }
}

/// A cookie of a browser.
public struct BrowserCookie: JSONObject, Sendable, Equatable {
    public let name: String
    public package(set) var value: String
    public let domain: String
    public let path: String
    public let isSecure: Bool
    public let isHTTPOnly: Bool
    /// Seconds since 1970; nil for a cookie of the session.
    public package(set) var expires: Double?

    package init(
        name: String, value: String, domain: String, path: String, isSecure: Bool = false, isHTTPOnly: Bool = false,
        expires: Double? = nil
    ) {
        (self.name, self.value, self.domain, self.path) = (name, value, domain, path)
        (self.isSecure, self.isHTTPOnly, self.expires) = (isSecure, isHTTPOnly, expires)
    }

    package init(_ json: JSON) {
        self.init(
            name: json["name"]?.string ?? "", value: json["value"]?.string ?? "", domain: json["domain"]?.string ?? "",
            path: json["path"]?.string ?? "/", isSecure: json["secure"]?.bool ?? false,
            isHTTPOnly: json["httpOnly"]?.bool ?? false, expires: json["expires"]?.number)
    }

    public var members: JSONMembers {
        [
            "name": name, "value": value, "domain": domain, "path": path, "secure": isSecure, "httpOnly": isHTTPOnly,
            "expires": expires,
        ]
    }
}
