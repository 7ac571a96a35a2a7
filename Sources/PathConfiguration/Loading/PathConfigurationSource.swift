import BridgeInput
public import Foundation

extension PathConfiguration {
    /// A place that a configuration is loaded from.
    public enum Source: Sendable, Hashable, CustomStringConvertible {
        case data(Data)
        case file(URL)
        /// The last answer is cached on disk and used until a new one arrives.
        case server(URL)

        public var description: String {
            switch self {
            case .data(let data): "\(data.count) bytes of data"
            case .file(let url): url.path
            case .server(let url): url.absoluteString
            }
        }
    }

    /// The limits of requests to servers, and their cache.
    public struct ServerOptions: Sendable {
        /// The time within which the whole answer must arrive.
        public var timeout = Duration.seconds(10)
        /// The largest answer that is accepted, in bytes.
        public var maximumSize = 1 << 20
        /// `nil` turns caching off.
        public var cache: PathConfigurationCache? = .standard

        public init() {}
    }
}

/// The reason why a source has no new configuration. Its last good one stays in force.
public enum PathConfigurationSourceError: Error, Equatable, Sendable, CustomStringConvertible {
    case unreadable(String, reason: String)
    case unreachable(URL, reason: String)
    case timedOut(URL, Duration)
    /// The server answered with a status other than 200.
    case status(URL, Int)
    case tooLarge(URL, limit: Int)
    /// The server redirects to another origin, such as `https://app.example`.
    case redirected(URL, to: String)
    case invalid(source: String, PathConfigurationError)

    /// Reads a file or a pipe to its end.
    /// - Throws: ``unreadable(_:reason:)``.
    public static func contents(of file: URL) throws(PathConfigurationSourceError) -> Data {
        do throws(InputFileError) {
            return Data(try InputFile.contents(ofPath: file.path))
        } catch {
            throw .unreadable(file.path, reason: error.reason)
        }
    }

    public var description: String {
        switch self {
        case .unreadable(let name, let reason): "Can't read \(name): \(reason). Check the name and its permissions."
        case .unreachable(let url, let reason):
            "Can't reach \(url): \(reason). Check that the server is running and that the address is right."
        case .timedOut(let url, let limit):
            "\(url) did not answer within \(limit.components.seconds) s. Check that the server is running."
        case .status(let url, let status):
            "\(url) answered with status \(status), expected 200. Check the path, and that it does not require a login."
        case .tooLarge(let url, let limit):
            "\(url) answered with more than \(limit) bytes. Check that it is a path configuration."
        case .redirected(let url, let origin):
            "\(url) redirects to another origin, \(origin). Give the address of the path configuration itself."
        case .invalid(let source, let error): "\(source), \(error)"
        }
    }
}
