/// A frame, as its document describes it.
public struct FrameInfo: Codable, Sendable, Equatable, JSONObject {
    public internal(set) var url: String
    public let origin: String
    public let isMainFrame: Bool

    public init(url: String, origin: String, isMainFrame: Bool) {
        self.url = url
        self.origin = origin
        self.isMainFrame = isMainFrame
    }

    public var members: JSONMembers { ["url": url, "origin": origin, "isMainFrame": isMainFrame] }
}

/// The params of `page.attach`, with which a document introduces itself.
public struct AttachPage: MethodCall, JSONObject, Decodable, Equatable {
    /// A UUID that `bridge.js` made for this document.
    public let document: String
    public let webView: String
    public private(set) var frame: FrameInfo
    public private(set) var title: String
    /// The value of `document.readyState`: `loading`, `interactive` or `complete`.
    public let readyState: String
    public private(set) var userAgent: String
    /// Whether the document was attached before and lost its connection.
    public let resume: Bool
    /// The key of `/document`, from the script of such a document.
    public let documentKey: String?
    /// The document that the tab showed before this one, if some of its messages may still arrive by beacon.
    public let previous: Previous?
    /// The numbers of the messages whose replies have not arrived. Only a document that attaches again sends them.
    public let waiting: [Int]?
    /// The engine that is driven from outside, and shows the document; nil if `bridge.js` speaks for it.
    public let engine: BrowserEngine?
    /// Whether the document is in an app of its own, on a device or in a simulator. `bridge.js` then only observes it.
    public var isDevice: Bool { device ?? false }
    private let device: Bool?

    /// The greatest number of `waiting`. It is larger than `MAX_KEPT` of `bridge.js`, which may wait for a reply after
    /// it has forgotten the message.
    static let maximumWaiting = 110_000

    public struct Previous: JSONObject, Decodable, Sendable, Equatable {
        public let document: String
        /// The number of its last message.
        public let seq: Int

        public init(document: String, seq: Int) { (self.document, self.seq) = (document, seq) }

        public var members: JSONMembers { ["document": document, "seq": seq] }
    }

    public init(
        document: String, webView: String, frame: FrameInfo, title: String = "", readyState: String = "complete",
        userAgent: String, resume: Bool = false, documentKey: String? = nil, previous: Previous? = nil,
        waiting: [Int]? = nil, engine: BrowserEngine? = nil, isDevice: Bool = false
    ) {
        (self.document, self.webView, self.frame, self.title) = (document, webView, frame, title)
        (self.readyState, self.userAgent, self.resume) = (readyState, userAgent, resume)
        (self.documentKey, self.previous, self.waiting, self.engine) = (documentKey, previous, waiting, engine)
        device = isDevice ? true : nil
    }

    public var method: String { PageMethod.attach.rawValue }

    public var members: JSONMembers {
        [
            "document": document, "webView": webView, "frame": frame, "title": title, "readyState": readyState,
            "userAgent": userAgent, "resume": resume, "documentKey": documentKey, "previous": previous,
            "waiting": waiting, "engine": engine?.rawValue, "device": device,
        ]
    }

    /// Reads the params, and cuts the texts for people; see ``PageText``.
    /// - Throws: `invalidParams`.
    public init(params: JSON?) throws(RPCError) {
        let waitingCount = params?["waiting"]?.count ?? 0
        guard waitingCount <= AttachPage.maximumWaiting else {
            throw .invalidParams(
                at: "/waiting", "expected at most \(AttachPage.maximumWaiting) numbers, found \(waitingCount)")
        }
        self = try JSON.decodeParams(Self.self, from: params)
        try PageText.check(document, PageText.document, at: "/document")
        try PageText.check(webView, PageText.webView, at: "/webView")
        try PageText.checkIsVisible(webView, at: "/webView")
        try PageText.check(frame.origin, PageText.origin, at: "/frame/origin")
        try PageText.check(readyState, PageText.word, at: "/readyState")
        try PageText.check(documentKey ?? "", PageText.word, at: "/documentKey")
        try PageText.check(previous?.document ?? "", PageText.document, at: "/previous/document")
        frame.url = PageText.cut(frame.url, to: PageText.url)
        title = PageText.cut(title, to: PageText.title)
        userAgent = PageText.cut(userAgent, to: PageText.userAgent)
    }
}

/// The result of `page.attach`.
public struct AttachResult: JSONWritable, Sendable, Equatable {
    /// The page's id at the daemon, such as `p3`.
    public let page: String
    /// Differs for each run of the daemon.
    public let run: Int
    /// The page's web view, if it is not the one that the page has asked for.
    public let otherWebView: String?
    public let isResumed: Bool
    /// The number of the last message that is acknowledged.
    public let lastSeq: Int
    /// The handlers of the web view; for a driven page, everything else, too.
    public let settings: WebViewSettings
    public let maxMessageBytes: Int
    /// The limits of a message's values, for a driven page.
    public let limits: JSON.Limits?

    public init(
        page: String, run: Int, otherWebView: String? = nil, isResumed: Bool, lastSeq: Int, settings: WebViewSettings,
        maxMessageBytes: Int, limits: JSON.Limits? = nil
    ) {
        (self.page, self.run, self.otherWebView, self.isResumed) = (page, run, otherWebView, isResumed)
        (self.lastSeq, self.settings, self.maxMessageBytes) = (lastSeq, settings, maxMessageBytes)
        self.limits = limits
    }

    public init(_ json: JSON) {
        page = json["page"]?.string ?? ""
        run = json["run"]?.wholeNumber ?? 0
        otherWebView = json["webView"]?.string
        isResumed = json["resumed"]?.bool ?? false
        lastSeq = json["lastSeq"]?.wholeNumber ?? 0
        settings = WebViewSettings(json)
        maxMessageBytes = json["maxMessageBytes"]?.wholeNumber ?? .max
        let (values, nesting) = (json["maxValues"]?.wholeNumber, json["maxNesting"]?.wholeNumber)
        limits = values.map { JSON.Limits(nesting: nesting ?? JSON.deepestNesting, values: $0) }
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("page", page)
            writer.member("run", run)
            writer.member("webView", ifPresent: otherWebView)
            writer.member("resumed", isResumed)
            writer.member("lastSeq", lastSeq)
            settings.writeMembers(to: &writer)
            writer.member("maxMessageBytes", maxMessageBytes)
            writer.member("maxValues", ifPresent: limits?.values)
            writer.member("maxNesting", ifPresent: limits?.nesting)
        }
    }
}

/// The params of `page.update`: the changes of a document. A property that did not change is nil.
public struct UpdatePage: MethodCall, JSONObject, Decodable, Equatable {
    public package(set) var url: String?
    public private(set) var title: String?
    public package(set) var readyState: String?
    public let visibility: String?
    /// The HTTP status of the document.
    public let status: Int?

    public init(
        url: String? = nil, title: String? = nil, readyState: String? = nil, visibility: String? = nil,
        status: Int? = nil
    ) {
        (self.url, self.title, self.readyState, self.visibility) = (url, title, readyState, visibility)
        self.status = status
    }

    public var method: String { PageMethod.update.rawValue }

    public var members: JSONMembers {
        ["url": url, "title": title, "readyState": readyState, "visibility": visibility, "status": status]
    }

    /// Reads the params, and cuts the texts for people; see ``PageText``.
    /// - Throws: `invalidParams`.
    public init(params: JSON?) throws(RPCError) {
        self = try JSON.decodeParams(Self.self, from: params)
        try PageText.check(readyState ?? "", PageText.word, at: "/readyState")
        try PageText.check(visibility ?? "", PageText.word, at: "/visibility")
        url = url.map { PageText.cut($0, to: PageText.url) }
        title = title.map { PageText.cut($0, to: PageText.title) }
    }
}

/// The params of `console.entry`: a line that the page wrote to its console, or an uncaught error.
public struct ConsoleEntry: MethodCall, JSONObject, Decodable, Equatable {
    public enum Kind: String, Decodable, Sendable {
        case console, exception, rejection
    }

    /// The method of `console` that was called, such as `log`, `warn` or `error`.
    public let level: String
    public private(set) var text: String
    public let kind: Kind
    public private(set) var url: String?
    /// The line, from 1.
    public let line: Int?
    /// The column, from 1.
    public let column: Int?
    public private(set) var stack: String?

    public init(
        level: String, text: String, kind: Kind, url: String? = nil, line: Int? = nil, column: Int? = nil,
        stack: String? = nil
    ) {
        self.level = level
        self.text = text
        self.kind = kind
        self.url = url
        self.line = line
        self.column = column
        self.stack = stack
    }

    public var method: String { PageMethod.console.rawValue }

    public var members: JSONMembers {
        [
            "level": level, "text": text, "kind": kind.rawValue, "url": url, "line": line, "column": column,
            "stack": stack,
        ]
    }

    /// Reads the params, and cuts the texts; see ``PageText``.
    /// - Throws: `invalidParams`.
    public init(params: JSON?) throws(RPCError) {
        self = try JSON.decodeParams(Self.self, from: params)
        try PageText.check(level, PageText.word, at: "/level")
        text = PageText.cut(text, to: PageText.entry)
        url = url.map { PageText.cut($0, to: PageText.url) }
        stack = stack.map { PageText.cut($0, to: PageText.entry) }
    }
}
