/// A frame as its document tells of it.
public struct FrameInfo: Codable, Sendable, Equatable {
    public let url: String
    public let origin: String
    public let isMainFrame: Bool

    public init(url: String, origin: String, isMainFrame: Bool) {
        self.url = url
        self.origin = origin
        self.isMainFrame = isMainFrame
    }
}

/// The params of `page.attach`: a document introduces itself.
public struct AttachPage: Decodable, Sendable, Equatable {
    /// A UUID that `bridge.js` made for this document.
    public let document: String
    public let webView: String
    public let frame: FrameInfo
    public let title: String
    /// As `document.readyState` says: `loading`, `interactive` or `complete`.
    public let readyState: String
    public let userAgent: String
    /// Whether the document was attached before and lost its connection.
    public let resume: Bool
    /// The document that the tab showed before this one, if that left something behind.
    public let previous: Previous?
    /// The numbers of messages whose replies have not come yet, from a document that was attached before.
    public let waiting: [Int]?

    public struct Previous: Decodable, Sendable, Equatable {
        public let document: String
        /// Its last message's number.
        public let seq: Int
    }

    /// - Throws: `invalidParams`.
    public init(params: JSON?) throws(RPCError) { self = try JSON.decodeParams(Self.self, from: params) }
}

/// The params of `page.update`: what changed in a document. All else is `nil`.
public struct UpdatePage: Decodable, Sendable, Equatable {
    public let url: String?
    public let title: String?
    public let readyState: String?
    public let visibility: String?
    /// The HTTP status of the document.
    public let status: Int?

    /// - Throws: `invalidParams`.
    public init(params: JSON?) throws(RPCError) { self = try JSON.decodeParams(Self.self, from: params) }
}

/// The params of `console.entry`: what the page wrote to its console, or an error that nothing caught.
public struct ConsoleEntry: Decodable, Sendable, Equatable {
    public enum Kind: String, Decodable, Sendable {
        case console, exception, rejection
    }

    /// Such as `log`, `warn`, `error`.
    public let level: String
    public let text: String
    public let kind: Kind
    public let url: String?
    /// From 1.
    public let line: Int?
    /// From 1.
    public let column: Int?
    public let stack: String?

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

    /// - Throws: `invalidParams`.
    public init(params: JSON?) throws(RPCError) { self = try JSON.decodeParams(Self.self, from: params) }
}
