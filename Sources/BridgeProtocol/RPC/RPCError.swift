/// An error object of JSON-RPC 2.0 (section 5.1).
public struct RPCError: Error, Sendable, Equatable, CustomStringConvertible {
    public let code: Code
    /// One sentence that says what was expected, what was found, and where.
    public let message: String
    public let data: JSONValue?

    public init(_ code: Code, _ message: String, data: JSONValue? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    public var description: String { "\(message) (\(code.rawValue))" }

    /// An error code of JSON-RPC, of WebKit's `WKError`, or of this protocol. A peer may send others.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        // JSON-RPC 2.0, section 5.1.
        public static let parseError = Code(rawValue: -32700)
        public static let invalidRequest = Code(rawValue: -32600)
        public static let methodNotFound = Code(rawValue: -32601)
        public static let invalidParams = Code(rawValue: -32602)
        public static let internalError = Code(rawValue: -32603)

        // WKError.h.
        /// `WKErrorUnknown`: the evaluation timed out.
        public static let timedOut = Code(rawValue: 1)
        /// `WKErrorWebContentProcessTerminated`: the document is gone.
        public static let documentGone = Code(rawValue: 2)
        /// `WKErrorJavaScriptExceptionOccurred`.
        public static let javaScriptException = Code(rawValue: 4)
        /// `WKErrorJavaScriptResultTypeIsUnsupported`.
        public static let resultTypeUnsupported = Code(rawValue: 5)

        // docs/protocol.md.
        public static let noSuchHandler = Code(rawValue: -32001)
        public static let noSuchPage = Code(rawValue: -32002)
        public static let handlerRejected = Code(rawValue: -32003)
        public static let notAllowed = Code(rawValue: -32004)
        public static let waitTimedOut = Code(rawValue: -32005)
        public static let queueFull = Code(rawValue: -32006)
    }
}

extension RPCError: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("code", code.rawValue)
            writer.member("message", message)
            writer.member("data", ifPresent: data)
        }
    }
}

extension RPCError {
    public static func invalidRequest(_ text: String) -> RPCError {
        RPCError(.invalidRequest, "Invalid request: \(text)")
    }

    /// The error for a batch that has more messages than are allowed.
    public static func batchTooLong(_ count: Int, limit: Int) -> RPCError {
        .invalidRequest("a batch has at most \(limit) messages, found \(count)")
    }

    /// The error for wrong params.
    ///
    /// - Parameter place: a JSON Pointer into the params.
    public static func invalidParams(at place: String, _ text: String) -> RPCError {
        RPCError(.invalidParams, "Invalid params: \(place.isEmpty ? "" : "\(place): ")\(text)")
    }

    /// The error for an unknown name. It lists the known names and suggests the one that was probably meant.
    public static func invalidParams(at place: String, unknown name: String, among known: [String]) -> RPCError {
        let nearest = EditDistance.nearest(to: name, in: known).map { ". Did you mean \(quoted($0))?" } ?? "."
        let all = known.isEmpty ? " There is none." : " There are: \(known.joined(separator: ", "))."
        return .invalidParams(at: place, "unknown \(quoted(name, limit: 100))\(nearest)\(all)")
    }

    /// The error for an unknown method.
    ///
    /// - Parameter known: the names of all methods, to suggest the one that was probably meant.
    public static func methodNotFound(_ method: String, among known: [String] = []) -> RPCError {
        let nearest = EditDistance.nearest(to: method, in: known).map { ". Did you mean \"\($0)\"?" } ?? ""
        return RPCError(.methodNotFound, "Unknown method \(quoted(method, limit: 100))\(nearest)")
    }

    public static func parseError(_ error: JSONParseError) -> RPCError {
        RPCError(.parseError, error.description)
    }
}

extension RPCError {
    /// Reads an error object. Missing members count as 0 and as empty.
    public init(json: JSON) {
        self.init(
            Code(rawValue: json["code"]?.wholeNumber ?? 0), json["message"]?.string ?? "",
            data: json["data"].map(JSONValue.init))
    }
}
