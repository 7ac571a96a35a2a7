public import Foundation

/// Servers' answers on disk, one file a URL. A file is written aside and then renamed, so that whoever reads it, and
/// whatever kills the writer, finds a whole answer: the old one or the new one.
public struct PathConfigurationCache: Sendable, Equatable {
    public let folder: URL

    public init(folder: URL) { self.folder = folder }

    /// `bridged/path-configurations` in the user's folder for caches.
    public static let standard = PathConfigurationCache(folder: standardFolder)

    private static var standardFolder: URL {
        let environment = ProcessInfo.processInfo.environment
        let caches =
            environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0) : nil }
            ?? FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
            ?? FileManager.default.temporaryDirectory
        return caches.appendingPathComponent("bridged/path-configurations")
    }

    /// The last good answer; nil where there is none.
    public func data(for url: URL) -> Data? { try? Data(contentsOf: file(for: url)) }

    /// - Throws: Foundation's error, where the folder can't be written.
    public func store(_ data: Data, for url: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try data.write(to: file(for: url), options: .atomic)
    }

    /// A name that a person recognizes, with a hash of the whole URL that tells apart what looks alike.
    func file(for url: URL) -> URL {
        let readable = url.absoluteString.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."):
                Character(Unicode.Scalar(byte))
            default: Character("-")
            }
        }
        let hash = String(PathConfigurationCache.hash(url.absoluteString), radix: 16)
        return folder.appendingPathComponent("\(String(readable.prefix(120)))-\(hash).json")
    }

    /// FNV-1a, 64 bits: the same in every run, as Swift's own is not.
    private static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}
