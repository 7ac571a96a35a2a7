public import BridgeProtocol
public import Foundation

/// The app's path configuration: what its sources say, the later ones over the earlier.
///
/// Data and files are read at once. Of a server the last good answer on disk is used at once, and its new one when it
/// comes. A source that fails leaves what was there, and says so to the observers. On the main actor.
@MainActor public final class PathConfiguration {
    /// What observers hear.
    public enum Event: Sendable {
        /// A source's configuration was read. It is in force, unless a later source has one too.
        case updated(Source, fromCache: Bool)
        /// A source gave none; ``PathConfigurationSourceError`` for most.
        case failed(Source, any Error)
        /// A pattern of a source's configuration was skipped.
        case skipped(Source, PathConfigurationError)
    }

    /// What is in force. Without a source that has one, only the built-in rules.
    public private(set) var document: PathConfigurationDocument
    /// Setting it loads them all.
    public var sources: [Source] {
        didSet { load() }
    }

    private let options: PathConfigurationDocument.Options
    private let server: ServerOptions
    private var documents: [Int: PathConfigurationDocument] = [:]
    private var downloads: [Task<Void, Never>] = []
    private var observers: [(Event) -> Void] = []

    /// - Parameter observer: hears of this first loading too.
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

    /// Reads all sources again. What they said before stays until they say something else.
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

    /// Other sources: what the old ones said goes.
    private func load() {
        documents = [:]
        document = PathConfigurationDocument(options: options)
        reload()
    }

    private func readFile(_ url: URL, of index: Int) {
        do throws(PathConfigurationSourceError) {
            read(try PathConfigurationSourceError.contents(of: url), of: index)
        } catch {
            tell(.failed(sources[index], error))
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
                    if !Task.isCancelled { keep(data, from: url, of: index) }
                } catch {
                    if !Task.isCancelled { tell(.failed(source, error)) }
                }
            })
    }

    /// Only what can be read is worth keeping.
    private func keep(_ data: Data, from url: URL, of index: Int) {
        guard read(data, of: index) else { return }
        do {
            try server.cache?.store(data, for: url)
        } catch {
            tell(.failed(sources[index], error))
        }
    }

    @discardableResult private func read(_ data: Data, of index: Int, fromCache: Bool = false) -> Bool {
        let read: PathConfigurationDocument
        do throws(PathConfigurationError) {
            read = try PathConfigurationDocument(data, options: options)
        } catch {
            tell(.failed(sources[index], PathConfigurationSourceError.refused(source: "\(sources[index])", error)))
            return false
        }
        documents[index] = read
        document = documents.max { $0.key < $1.key }?.value ?? document
        tell(.updated(sources[index], fromCache: fromCache))
        for problem in read.problems { tell(.skipped(sources[index], problem)) }
        return true
    }

    private func tell(_ event: Event) { observers.forEach { $0(event) } }
}
