/// A frame, as its document describes it.
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

/// The params of `page.attach`, with which a document introduces itself.
public struct AttachPage: Decodable, Sendable, Equatable {
    /// A UUID that `bridge.js` made for this document.
    public let document: String
    public let webView: String
    public let frame: FrameInfo
    public let title: String
    /// The value of `document.readyState`: `loading`, `interactive` or `complete`.
    public let readyState: String
    public let userAgent: String
    /// Whether the document was attached before and lost its connection.
    public let resume: Bool
    /// The document that the tab showed before this one, if some of its messages may still arrive by beacon.
    public let previous: Previous?
    /// The numbers of the messages whose replies have not arrived. Only a document that attaches again sends them.
    public let waiting: [Int]?

    public struct Previous: Decodable, Sendable, Equatable {
        public let document: String
        /// The number of its last message.
        public let seq: Int
    }

    /// - Throws: `invalidParams`.
    public init(params: JSON?) throws(RPCError) { self = try JSON.decodeParams(Self.self, from: params) }
}

/// The params of `page.update`: the changes of a document. A property that did not change is nil.
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

/// The params of `console.entry`: a line that the page wrote to its console, or an uncaught error.
public struct ConsoleEntry: Decodable, Sendable, Equatable {
    public enum Kind: String, Decodable, Sendable {
        case console, exception, rejection
    }

    /// The method of `console` that was called, such as `log`, `warn` or `error`.
    public let level: String
    public let text: String
    public let kind: Kind
    public let url: String?
    /// The line, from 1.
    public let line: Int?
    /// The column, from 1.
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
