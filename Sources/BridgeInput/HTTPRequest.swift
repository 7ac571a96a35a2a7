public import Foundation

/// A request to a web server that cannot take more than its limits: time, size of the header and the body, number and
/// targets of redirects. It speaks http and https and nothing else.
///
/// It uses libcurl, because Foundation's `URLSession` on Linux reads the body of a redirect to its end, however long it
/// is, and cannot stop after the header.
public struct HTTPRequest: Sendable {
    /// The largest header of a response, in bytes, and the longest chain of redirects.
    static let maximumHeaderSize = 64 << 10
    static let maximumRedirects = 10

    public let url: URL
    /// The JSON text to POST; nil for a GET request.
    public var json: [UInt8]?
    /// The media types that the response should have (RFC 9110, section 12.5.1).
    public var accept = "*/*"
    /// More lines for the header, such as `Authorization: Bearer TOKEN`. Other origins never get them.
    public var headers: [String] = []
    /// The time within which everything must arrive, redirects included.
    public var timeout = Duration.seconds(10)
    /// The time within which the header of the answer must have arrived, if it is shorter. If lines are expected and something
    /// else comes, all of that must have.
    public var headerTimeout: Duration?
    /// Whether nobody waits for the answer any more, which ends the request within a second. It is asked again and again, on
    /// the thread that waits.
    public var isCancelled: @Sendable () -> Bool = { false }
    /// How much of the body is read, in bytes. If it is 0, the connection is closed after the header.
    public var maximumBodySize: Int

    public init(_ url: URL, maximumBodySize: Int) {
        self.url = url
        self.maximumBodySize = maximumBodySize
    }

    /// Sends the request, and follows redirects as long as they stay on the same origin.
    ///
    /// Only a few requests are under way at once; the others wait, within their own time.
    public func send() async throws(HTTPRequestError) -> HTTPAnswer {
        let transfer = Transfer(self)
        let result: Result<HTTPAnswer, HTTPRequestError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                HTTPRequest.queue.addOperation {
                    continuation.resume(returning: Result { () throws(HTTPRequestError) in try transfer.run() })
                }
            }
        } onCancel: {
            transfer.cancel()
        }
        return try result.get()
    }

    /// Sends the request as ``send()`` does, but on the calling thread, which waits for the end of the response.
    /// - Parameter onLine: is called with each complete line of a response with status 200 and the media type ``accept``,
    ///   without its line end. The answer's body is the rest. Of any other response it is the beginning, at most 64 KiB. nil
    ///   to keep the whole body.
    public func sendAndWait(onLine: (([UInt8]) -> Void)? = nil) throws(HTTPRequestError) -> HTTPAnswer {
        try Transfer(self).run(onLine: onLine)
    }

    /// A request blocks its thread, so there are few of them.
    private static let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 4
        return queue
    }()
}

/// A server's answer to an ``HTTPRequest``.
public struct HTTPAnswer: Sendable {
    public struct Cookie: Sendable, Equatable {
        public let name: String
        public let value: String
        public let path: String
        public let isHTTPOnly: Bool
    }

    public let status: Int
    /// Where the answer redirects to, which is another origin: redirects within the origin have been followed.
    public let redirect: URL?
    /// The media type of the body, without parameters and in lower case; empty if the server does not say it.
    public let mediaType: String
    public let body: [UInt8]
    /// Whether there is more of the body than the limit allowed.
    public let isCut: Bool
    /// The cookies that this answer and the redirects before it set.
    public let cookies: [Cookie]
}

/// Why an ``HTTPRequest`` has no answer. The texts follow the words "the server could not be reached: ".
public enum HTTPRequestError: Error, Equatable, Sendable, CustomStringConvertible {
    case wrongScheme
    case timedOut(Duration)
    case tooManyRedirects
    case headerTooLarge
    case cancelled
    /// The connection ended in the middle of the answer.
    case cutOff
    case failed(String)

    public var description: String {
        switch self {
        case .wrongScheme: "its scheme is neither http nor https"
        case .timedOut(let limit): "it did not answer within \(limit.components.seconds) s"
        case .tooManyRedirects: "it redirects more than \(HTTPRequest.maximumRedirects) times"
        case .headerTooLarge: "its answer's header has more than \(HTTPRequest.maximumHeaderSize) bytes"
        case .cancelled: "the request was cancelled"
        case .cutOff: "its answer ended in the middle"
        case .failed(let reason): reason
        }
    }
}

extension URL {
    /// Scheme, host and port, without everything that can be secret: user, password, path, query and fragment.
    public var originText: String {
        let host = host ?? ""
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        return "\(scheme ?? "")://\(name)" + (port.map { ":\($0)" } ?? "")
    }

    /// Whether scheme, host and port are equal (RFC 6454, section 5).
    public func hasSameOrigin(as other: URL) -> Bool {
        (scheme?.lowercased(), host?.lowercased(), effectivePort)
            == (other.scheme?.lowercased(), other.host?.lowercased(), other.effectivePort)
    }

    private var effectivePort: Int? {
        port ?? ["http": 80, "https": 443][scheme?.lowercased() ?? ""]
    }
}
