import BridgeCluster
import BridgeProtocol
import BridgeServer
import BridgeTraffic
import BridgeYAML
import EmulatedApp
import Foundation
import PathConfiguration
import TrafficDatabase

/// The settings of `serve`, merged from flags, environment and `bridged.yml`, and checked.
@MainActor struct ServeConfiguration {
    var server = BridgeServer.Configuration()
    var app = EmulatedApp.Configuration()
    /// The frameworks to emulate. `serve` accepts only one; `bridged test` runs each flow with every one.
    var frameworks = [Framework.default]
    var pathConfigurations: [PathConfiguration.Source] = []
    var database: String?
    var retention = Retention.records(100_000)
    var cluster: RedisAddress?
    var cassetteMode = CassetteMode.none
    /// The path of the cassette; nil if none is named.
    var cassettePath: String?
    /// The cassette that answers; nil if none is named, or if it does not exist yet.
    private(set) var cassette: Cassette?
    /// Whether standard output is NDJSON.
    let writesJSON: Bool
    let isVerbose: Bool
    /// The settings that the command line has, such as `root-url`.
    private(set) var flags: [String] = []
    /// How many builds of the app are named. `serve` accepts only one; `bridged test` runs each flow with every one.
    let binaryCount: Int
    /// The build of these settings; nil if none is named.
    let binary: BinaryFile?
    private var isClusterDurable = false
    private let file: ConfigurationFile?
    var phone: PhoneSettings? { file?.phone }
    /// What these settings have that a daemon with settings of its own does not read, such as `root-url in bridged.yml`.
    private(set) var sources: [String] = []

    /// Looks up and checks all settings.
    /// - Parameters:
    ///   - cluster: nil for a command whose daemon is in no cluster.
    ///   - index: which of the named builds to read.
    /// - Throws: `YAMLError` for a mistake in the file, `SettingError` for a flag or a variable with an invalid value.
    init(
        _ options: ServeOptions, cluster: ClusterOptions? = nil, binary index: Int = 0
    ) throws {
        let environment = ProcessInfo.processInfo.environment
        file = try ConfigurationFile.find(options.config ?? environment["BRIDGED_CONFIG"])
        app.declaredComponents = file?.components ?? []
        var settings = SettingLookup(environment: environment, file: file)
        let named = options.binary.flatMap { $0.split(separator: ",").map(String.init) }
        let paths = try settings.find("binary", named, isList: true).texts
        binaryCount = paths.count
        binary = try paths.indices.contains(index) ? BinaryFile.named(paths[index]) : nil
        settings.binary = binary
        app.binary.name = binary?.name
        // ArgumentParser's flags have no text that could come with a setting.
        writesJSON = try settings.flag("json", options.json)
        isVerbose = try settings.flag("verbose", options.verbose)
        server.hasStrictOrigins = try settings.flag("strict-origins", options.strictOrigins)
        if try settings.flag("no-redact", options.noRedact) { server.redaction = .none }
        if let cluster { isClusterDurable = try settings.flag("cluster-durable", cluster.clusterDurable) }
        server.port = DaemonEndpoint.defaultPort
        try settings.read(options, into: &self)
        try settings.read(options.limits, into: &self)
        if let cluster {
            try settings.read(cluster, into: &self)
        } else {
            settings.ignore("cluster", "cluster-durable")
        }
        cassette = try readCassette()
        if let cassette { app.recordedComponents = CassettePlayer(cassette).components.sorted() }
        server.observed += file?.calledFunctions.filter { [observed = server.observed] in !observed.contains($0) } ?? []
        if let rootURL = app.rootURL { server.appOrigins.append(rootURL.originText) }
        sources =
            settings.sources
            + ConfigurationFile.declarations.compactMap { name in file?.members[name].map { "\(name) in \($0.file)" } }
        flags = (options.config == nil ? [] : ["config"]) + settings.flags
        if let value = binary?.members["framework"], frameworks.count > 1 {
            throw value.error("A build has one framework, not \(frameworks.map(\.name).joined(separator: " and ")).")
        }
        try binary?.check(isAndroid: frameworks[0].platform == .android)
        try settings.check(ServeConfiguration.needs)
        try settings.check(ServeConfiguration.platforms, of: frameworks)
        try settings.checkKeys(and: ConfigurationFile.declarations)
    }

    /// The settings that have no effect without another one.
    private static let needs = [
        ("cassette-mode", "cassette", "name its file."),
        ("cluster-durable", "cluster", "give the address of a Redis."),
        ("hide-tab-bar", "tab", "only an app with tabs has a tab bar."),
        ("keep", "database", "name the file in which to keep the traffic."),
        ("lazy-load-tabs", "tab", "name the tabs of the app."),
        ("tls-cert", "tls-key", "give a certificate and its private key."),
        ("tls-key", "tls-cert", "give a certificate and its private key."),
    ]

    /// The settings that the apps of one platform have.
    private static let platforms = [("native-screen", Platform.ios), ("uri", .android)]

    /// One configuration for each build of the app that is named, or the only one.
    static func all(_ flags: ServeOptions) throws -> [ServeConfiguration] {
        let first = try ServeConfiguration(flags)
        return [first] + (try (1..<max(1, first.binaryCount)).map { try ServeConfiguration(flags, binary: $0) })
    }

    // MARK: The cassette

    private func readCassette() throws(YAMLError) -> Cassette? {
        guard let cassettePath else { return nil }
        if cassetteMode != .none, !FileManager.default.fileExists(atPath: cassettePath) { return nil }
        do { return try Cassette(YAMLFile(path: cassettePath)) } catch {
            var error = error
            if error.isUnreadable { error.message += " The setting cassette names the file." }
            throw error
        }
    }

    /// Says on standard error that the cassette is old.
    func warnOfOldCassette() {
        guard let warning = cassette?.warning(on: Cassette.Day(.now)) else { return }
        Terminal.printError("warning: \(TerminalText.escape(warning))")
    }

    // MARK: Server and app

    /// Makes the server, with the database, stubs and interface objects that the settings declare.
    func makeServer() throws -> BridgeServer {
        // By default this signal ends the process when a file reaches the size limit for files (setrlimit, RLIMIT_FSIZE).
        // If it is ignored, only the write fails, as on a full disk.
        signal(SIGXFSZ, SIG_IGN)
        let log = server.logPath
        let server = try BridgeServer(server)
        // The log exists now, and the database is not open yet.
        if let log, let database { try ServeConfiguration.check(log: log, database: database) }
        if let database { server.traffic.keep(in: try TrafficDatabase(path: database, retention: retention)) }
        for stub in file?.stubs ?? [] {
            server.stub(
                stub.handler, webView: stub.webView, match: stub.match, reply: stub.reply, delay: stub.delay,
                calls: stub.calls)
        }
        if let cassette { server.play(cassette) }
        for (name, object) in file?.interfaces ?? [:] { server.addJavascriptInterface(object, name: name) }
        return server
    }

    /// SQLite would write over the log's lines, also in the files beside the database.
    private static func check(log: String, database: String) throws(SettingError) {
        let files = ["", "-wal", "-shm", "-journal"].map { database + $0 }
        guard let same = files.first(where: { FileManager.default.isSameFile($0, log) }) else { return }
        let text = same == database ? "is the database, too" : "is the file \(same) of the database, too"
        throw SettingError(description: "The log \(log) \(text). Choose another file with --log or --database.")
    }

    /// Makes the server a node of the cluster; nil if there is none.
    func makeCluster(_ server: BridgeServer) throws -> Cluster? {
        try cluster.map { try Cluster($0, isDurable: isClusterDurable, server) }
    }

    /// Makes the emulated app, with the message types that the file declares.
    /// - Parameter framework: the first of `frameworks` if nil.
    func makeApp(_ server: BridgeServer, with framework: Framework? = nil) throws -> EmulatedApp {
        var configuration = app
        configuration.framework = framework ?? frameworks[0]
        configuration.pathConfiguration = try readPathConfiguration(for: configuration.framework)
        let app = try EmulatedApp(server: server, configuration)
        for (handler, messages) in file?.messages ?? [:] {
            if handler == "nativeApp" {
                for message in messages { app.dispatcher.on(message) }
            } else {
                server.addHandler(handler, .declared(messages, discriminator: self.server.discriminator))
            }
        }
        return app
    }

    /// Reads the file of the path configuration before the first flow does, so that a mistake in it is said once. A pipe
    /// can be read only once, so the flow reads it.
    func checkPathConfiguration() throws(SettingError) {
        let files = pathConfigurations.compactMap { if case .file(let file) = $0 { file } else { nil } }
        guard !files.isEmpty,
            files.allSatisfy({ (try? $0.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile != false })
        else { return }
        _ = try readPathConfiguration(for: frameworks[0])
    }

    /// - Throws: an error if a file cannot be used, so that a mistake in it stops the start. A server may answer later.
    private func readPathConfiguration(for framework: Framework) throws(SettingError) -> PathConfiguration {
        var failure: (any Error)?
        let read = PathConfiguration(
            sources: pathConfigurations, options: framework.pathOptions()
        ) { event in
            if case .failed(.file, let error) = event { failure = error }
        }
        if let failure { throw SettingError(description: "path-configuration: \(failure)") }
        return read
    }
}
