public import BridgeProtocol
public import Foundation

/// The app's path configuration, loaded from its sources. The one that was read last is in force, as in
/// hotwire-native-ios: data and files in their order, and then servers as they answer.
///
/// Data and files are read immediately. The last good answer of a server is read from disk immediately and replaced by
/// the new answer when that arrives. If a source fails, its previous configuration stays in force, and the observers
/// receive the error.
@MainActor public final class PathConfiguration {
    /// An event that observers receive.
    public enum Event: Sendable {
        /// A source's configuration was read and is in force.
        case updated(Source, fromCache: Bool)
        /// A source could not be read, in most cases because of a ``PathConfigurationSourceError``.
        case failed(Source, any Error)
        /// A pattern in a source's configuration was skipped.
        case skipped(Source, PathConfigurationError)
        /// The search for a pattern in a path took too long, so the pattern counts as not matching that path. If this
        /// happens often, the pattern counts as not matching any path. Reported once for a pattern.
        case gaveUp(pattern: String, path: String)
    }

    /// The configuration in force. It has only the built-in rules until a source has been read.
    public private(set) var document: PathConfigurationDocument
    /// Setting the sources discards the configurations of the old ones and loads the new ones.
    public var sources: [Source] {
        didSet { load() }
    }

    private let options: PathConfigurationDocument.Options
    private let server: ServerOptions
    /// The indices of the sources that have been read.
    private var readSources: Set<Int> = []
    private var downloads: [Task<Void, Never>] = []
    private var observers: [(Event) -> Void] = []
    /// What was wrong when each source was read last, by the source's index.
    private var problems: [Int: [Event]] = [:]
    /// How often each pattern took too long.
    private var slowSearches: [String: Int] = [:]
    /// The patterns that took too long too often.
    private var excludedPatterns: Set<String> = []
    /// How often a pattern may take too long. Without a limit, a page could keep the daemon busy with one pattern.
    private static let maximumSlowSearches = 10

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
    public func properties(for url: URL) -> PathProperties { properties(for: document.subject(url)) }
    public subscript(url: URL) -> PathProperties { properties(for: url) }
    public subscript(path: String) -> PathProperties { properties(for: path) }

    public func properties(for path: String) -> PathProperties {
        let lookUp = document.lookUp(path, without: excludedPatterns)
        if let pattern = lookUp.slowPattern { gaveUp(pattern, path) }
        return lookUp.properties
    }

    /// Adds an observer. It receives at once what was wrong when the sources were read last, because data and files are
    /// read before anyone can observe.
    public func observe(_ observer: @escaping (Event) -> Void) {
        for (_, events) in problems.sorted(by: { $0.key < $1.key }) { events.forEach(observer) }
        observers.append(observer)
    }

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
        readSources = []
        problems = [:]
        document = PathConfigurationDocument(options: options)
        reload()
    }

    private func readFile(_ url: URL, of index: Int) {
        do throws(PathConfigurationSourceError) {
            read(try PathConfigurationSourceError.contents(of: url), of: index)
        } catch {
            fail(error, of: index)
        }
    }

    private func download(_ url: URL, for index: Int) {
        if !readSources.contains(index), let data = server.cache?.data(for: url) {
            read(data, of: index, fromCache: true)
        }
        let source = sources[index]
        downloads.append(
            Task { [server, options] in
                do {
                    let data = try await ServerRequest.data(from: url, options: server)
                    let read = try await PathConfiguration.read(data, from: source, options)
                    if !Task.isCancelled { use(read, data, from: url, of: index) }
                } catch {
                    if !Task.isCancelled { fail(error, of: index) }
                }
            })
    }

    /// Reads a server's answer on another thread, because a large one takes long to compile.
    private nonisolated static func read(
        _ data: Data, from source: Source, _ options: PathConfigurationDocument.Options
    ) async throws(PathConfigurationSourceError) -> PathConfigurationDocument {
        do throws(PathConfigurationError) {
            return try PathConfigurationDocument(data, options: options)
        } catch {
            throw .invalid(source: "\(source)", error)
        }
    }

    /// Puts a server's answer in force, and caches it.
    private func use(_ read: PathConfigurationDocument, _ data: Data, from url: URL, of index: Int) {
        use(read, of: index, fromCache: false)
        do {
            try server.cache?.store(data, for: url)
        } catch {
            fail(error, of: index)
        }
    }

    private func read(_ data: Data, of index: Int, fromCache: Bool = false) {
        let source = sources[index]
        do throws(PathConfigurationError) {
            use(try PathConfigurationDocument(data, options: options), of: index, fromCache: fromCache)
        } catch {
            fail(PathConfigurationSourceError.invalid(source: "\(source)", error), of: index)
        }
    }

    private func use(_ read: PathConfigurationDocument, of index: Int, fromCache: Bool) {
        let source = sources[index]
        readSources.insert(index)
        (slowSearches, excludedPatterns) = ([:], [])
        document = read
        problems[index] = read.problems.map { .skipped(source, $0) }
        report(.updated(source, fromCache: fromCache))
        problems[index]?.forEach(report)
    }

    private func fail(_ error: any Error, of index: Int) {
        let event = Event.failed(sources[index], error)
        problems[index] = [event]
        report(event)
    }

    private func gaveUp(_ pattern: String, _ path: String) {
        let count = slowSearches[pattern, default: 0] + 1
        slowSearches[pattern] = count
        if count == 1 { report(.gaveUp(pattern: pattern, path: path)) }
        if count >= PathConfiguration.maximumSlowSearches { excludedPatterns.insert(pattern) }
    }

    private func report(_ event: Event) { observers.forEach { $0(event) } }
}
