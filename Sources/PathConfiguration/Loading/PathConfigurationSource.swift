public import Foundation

extension PathConfiguration {
    /// Where a configuration comes from.
    public enum Source: Sendable, Hashable, CustomStringConvertible {
        case data(Data)
        case file(URL)
        /// Its answers are kept on disk, and the last one is used until the next has come.
        case server(URL)

        public var description: String {
            switch self {
            case .data(let data): "\(data.count) bytes of data"
            case .file(let url): url.path
            case .server(let url): url.absoluteString
            }
        }
    }

    /// How servers are asked.
    public struct ServerOptions: Sendable {
        /// For the whole answer.
        public var timeout = Duration.seconds(10)
        /// In bytes; a larger answer is refused.
        public var maximumSize = 1 << 20
        /// Nil keeps nothing.
        public var cache: PathConfigurationCache? = .standard

        public init() {}
    }
}

/// Why a source gave no configuration. The last good one stays.
public enum PathConfigurationSourceError: Error, Equatable, Sendable, CustomStringConvertible {
    case unreadable(String, reason: String)
    case unreachable(URL, reason: String)
    case timedOut(URL, Duration)
    /// Anything but 200.
    case status(URL, Int)
    case tooLarge(URL, limit: Int)
    case refused(source: String, PathConfigurationError)

    /// Reads a file, or a pipe to its end.
    /// - Throws: ``unreadable(_:reason:)``.
    public static func contents(of file: URL) throws(PathConfigurationSourceError) -> Data {
        guard let handle = FileHandle(forReadingAtPath: file.path) else {
            throw .unreadable(file.path, reason: String(cString: strerror(errno)))
        }
        do {
            return try handle.readToEnd() ?? Data()
        } catch {
            throw .unreadable(file.path, reason: "it is a directory, or the disk fails")
        }
    }

    public var description: String {
        switch self {
        case .unreadable(let name, let reason): "Can't read \(name): \(reason). Check the name and its permissions."
        case .unreachable(let url, let reason):
            "Can't reach \(url): \(reason). Check that the server runs and that the address is right."
        case .timedOut(let url, let limit):
            "\(url) did not answer within \(limit.components.seconds) s. Check that the server runs."
        case .status(let url, let status):
            "\(url) answered with status \(status), where 200 was expected. Check the path, and that it needs no log-in."
        case .tooLarge(let url, let limit):
            "\(url) answered with more than \(limit) bytes. Check that it is a path configuration."
        case .refused(let source, let error): "\(source), \(error)"
        }
    }
}
