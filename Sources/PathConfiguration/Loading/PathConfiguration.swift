public import BridgeProtocol
public import Foundation

/// The app's path configuration, loaded from its sources. The last source that has a configuration wins.
///
/// Data and files are read immediately. The last good answer of a server is read from disk immediately and replaced by
/// the new answer when that arrives. If a source fails, its previous configuration stays in force, and the observers
/// receive the error.
@MainActor public final class PathConfiguration {
    /// An event that observers receive.
    public enum Event: Sendable {
        /// A source's configuration was read. It is in force unless a later source has one too.
        case updated(Source, fromCache: Bool)
        /// A source could not be read, in most cases because of a ``PathConfigurationSourceError``.
        case failed(Source, any Error)
        /// A pattern in a source's configuration was skipped.
        case skipped(Source, PathConfigurationError)
    }

    /// The configuration in force. It has only the built-in rules until a source has been read.
    public private(set) var document: PathConfigurationDocument
    /// Setting the sources discards the configurations of the old ones and loads the new ones.
    public var sources: [Source] {
        didSet { load() }
    }

    private let options: PathConfigurationDocument.Options
    private let server: ServerOptions
    /// The last configuration of each source, by the source's index.
    private var documents: [Int: PathConfigurationDocument] = [:]
    private var downloads: [Task<Void, Never>] = []
    private var observers: [(Event) -> Void] = []

    /// - Parameter observer: Receives the events of this first loading too.
    public init(
        sources: [Source] = [], options: PathConfigurationDocument.Options = .init(), server: ServerOptions = .init(),
        observer: ((Event) -> Void)? = nil
    ) {
        self.sources = sources
        self.options = options
        self.server = server
        document = PathConfigurationDocument(options: options)
        if let observer { observers.append(observer) }
        load()
    }

    public var settings: [String: JSONValue] { document.settings }
    public var rules: [PathRule] { document.rules }
    public func properties(for url: URL) -> PathProperties { document.properties(for: url) }
    public func properties(for path: String) -> PathProperties { document.properties(for: path) }
    public subscript(url: URL) -> PathProperties { document.properties(for: url) }
    public subscript(path: String) -> PathProperties { document.properties(for: path) }

    public func observe(_ observer: @escaping (Event) -> Void) { observers.append(observer) }

    /// Reads all sources again. The configuration of each stays in force until it has been read.
    public func reload() {
        downloads.forEach { $0.cancel() }
        downloads = []
        for (index, source) in sources.enumerated() {
            switch source {
            case .data(let data): read(data, of: index)
            case .file(let url): readFile(url, of: index)
            case .server(let url): download(url, for: index)
            }
        }
    }

    /// Waits until every server has answered or failed.
    public func finishLoading() async {
        for download in downloads { await download.value }
    }

    private func load() {
        documents = [:]
        document = PathConfigurationDocument(options: options)
        reload()
    }

    private func readFile(_ url: URL, of index: Int) {
        do throws(PathConfigurationSourceError) {
            read(try PathConfigurationSourceError.contents(of: url), of: index)
        } catch {
            report(.failed(sources[index], error))
        }
    }

    private func download(_ url: URL, for index: Int) {
        if documents[index] == nil, let data = server.cache?.data(for: url) {
            read(data, of: index, fromCache: true)
        }
        let source = sources[index]
        downloads.append(
            Task { [server] in
                do {
                    let data = try await ServerRequest.data(from: url, options: server)
                    if !Task.isCancelled { readAndCache(data, from: url, of: index) }
                } catch {
                    if !Task.isCancelled { report(.failed(source, error)) }
                }
            })
    }

    /// Reads a server's answer, and caches it if it is a valid configuration.
    private func readAndCache(_ data: Data, from url: URL, of index: Int) {
        guard read(data, of: index) else { return }
        do {
            try server.cache?.store(data, for: url)
        } catch {
            report(.failed(sources[index], error))
        }
    }

    /// - Returns: Whether the data is a valid configuration.
    @discardableResult private func read(_ data: Data, of index: Int, fromCache: Bool = false) -> Bool {
        let source = sources[index]
        let read: PathConfigurationDocument
        do throws(PathConfigurationError) {
            read = try PathConfigurationDocument(data, options: options)
        } catch {
            report(.failed(source, PathConfigurationSourceError.invalid(source: "\(source)", error)))
            return false
        }
        documents[index] = read
        document = documents.max { $0.key < $1.key }?.value ?? document
        report(.updated(source, fromCache: fromCache))
        for problem in read.problems { report(.skipped(source, problem)) }
        return true
    }

    private func report(_ event: Event) { observers.forEach { $0(event) } }
}
