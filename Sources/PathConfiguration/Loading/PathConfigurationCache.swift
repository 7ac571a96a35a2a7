import BridgeProtocol
public import Foundation

/// The answers of servers on disk, one file per URL.
///
/// A file is replaced atomically. A reader therefore finds a complete answer, the old or the new one, even if the
/// writer is killed.
public struct PathConfigurationCache: Sendable, Equatable {
    public let folder: URL

    public init(folder: URL) { self.folder = folder }

    /// `bridged/path-configurations` in the user's cache folder.
    public static let standard = PathConfigurationCache(folder: standardFolder)

    private static var standardFolder: URL {
        let environment = ProcessInfo.processInfo.environment
        let caches =
            environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0) : nil }
            ?? FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
            ?? FileManager.default.temporaryDirectory
        return caches.appendingPathComponent("bridged/path-configurations")
    }

    /// Returns the last valid answer of the server. `nil` if none is cached.
    public func data(for url: URL) -> Data? { try? Data(contentsOf: file(for: url)) }

    /// - Throws: Foundation's error if the file can't be written.
    public func store(_ data: Data, for url: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try data.write(to: file(for: url), options: .atomic)
    }

    /// A readable file name, with a hash of the whole URL that keeps similar names apart.
    func file(for url: URL) -> URL {
        let readable = url.absoluteString.replacing(/[^A-Za-z0-9.]/, with: "-")
        var hash = FNV1a()
        hash.combine(Array(url.absoluteString.utf8))
        return folder.appendingPathComponent("\(readable.prefix(120))-\(hash.text).json")
    }
}
