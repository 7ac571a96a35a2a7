import BridgeCluster
import BridgeInput
import BridgeProtocol
import BridgeServer
import BridgeYAML
import EmulatedApp
import Foundation
import PathConfiguration
import TrafficDatabase

/// The settings of `serve`, merged from flags, environment and `bridged.yml`, and checked.
@MainActor struct ServeConfiguration {
    var server = BridgeServer.Configuration()
    /// The frameworks to emulate. `serve` accepts only one; `bridged test` runs each flow with every one.
    let frameworks: [Framework]
    /// Whether standard output is NDJSON.
    let writesJSON: Bool
    let isVerbose: Bool
    /// The settings that the command line has, such as `root-url`.
    private(set) var flags: [String] = []
    private var app = EmulatedApp.Configuration()
    /// The app's address, if a setting names it.
    var rootURL: String? { app.rootURL?.absoluteString }
    private let pathConfigurations: [PathConfiguration.Source]
    /// How many builds of the app are named. `serve` accepts only one; `bridged test` runs each flow with every one.
    let binaryCount: Int
    /// The build of these settings; nil if none is named.
    private let binary: BinaryFile?
    private let cluster: (address: RedisAddress, isDurable: Bool)?
    private let database: String?
    private let retention: Retention
    private let file: ConfigurationFile?

    /// Looks up and checks all settings.
    /// - Parameters:
    ///   - cluster: nil for a command whose daemon is in no cluster.
    ///   - index: which of the named builds to read.
    /// - Throws: `YAMLError` for a mistake in the file, `SettingError` for a flag or a variable with an invalid value.
    init(
        _ flags: ServeOptions, cluster: ClusterOptions? = nil, binary index: Int = 0
    ) throws {
        let environment = ProcessInfo.processInfo.environment
        file = try ConfigurationFile.find(flags.config ?? environment["BRIDGED_CONFIG"])
        var settings = SettingLookup(environment: environment, file: file)
        let named = flags.binary.flatMap { $0.split(separator: ",").map(String.init) }
        let paths = try settings.list("binary", named)
        binaryCount = paths.count
        let binary = try paths.indices.contains(index) ? BinaryFile.named(paths[index]) : nil
        self.binary = binary
        settings = SettingLookup(environment: environment, file: file, binary: binary)
        _ = try settings.list("binary", named)

        let names = flags.framework.flatMap { $0.split(separator: ",").map(String.init) }
        let frameworks = try settings.values("framework", names, Framework.names) { Framework(named: $0) }
        self.frameworks = frameworks.isEmpty ? [.default] : frameworks
        if let value = binary?.members["framework"], frameworks.count > 1 {
            throw value.error("A build has one framework, not \(frameworks.map(\.name).joined(separator: " and ")).")
        }
        try binary?.check(isAndroid: self.frameworks[0].platform == .android)
        writesJSON = try settings.flag("json", flags.json)
        isVerbose = try settings.flag("verbose", flags.verbose)
        let ofBuild = binary?.members["path-configuration"] == nil ? nil : binary
        pathConfigurations = try settings.values(
            "path-configuration", flags.pathConfiguration, "a file or an address"
        ) { text in
            guard !text.hasPrefix("http") else { return URL(string: text).map { .server($0) } }
            return .file(ofBuild?.file(at: text) ?? URL(fileURLWithPath: text))
        }
        self.cluster = try ServeConfiguration.readCluster(cluster, &settings)
        database = try settings.text("database", flags.database)
        retention =
            try settings.value("keep", flags.keep, "a number of records, or an age like 7d or 12h", Retention.init)
            ?? ServeOptions.defaultRetention
        try readApp(flags, &settings)
        try readServer(flags, &settings)
        server.limits.replyTimeout = try settings.duration("reply-timeout", flags.replyTimeout)
        try flags.limits.read(&settings, into: &server.limits)
        self.flags = (flags.config == nil ? [] : ["config"]) + settings.flags
        try settings.check(ServeConfiguration.needs)
        try settings.check(ServeConfiguration.platforms, of: self.frameworks)
        try settings.checkKeys(and: ConfigurationFile.declarations)
    }

    /// The settings that have no effect without another one.
    private static let needs = [
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

    /// The name of the app's build; nil if none is named.
    var binaryName: String? { binary?.name }

    /// Whether the app's build says which framework it has.
    var namesFrameworkOfBuild: Bool { binary?.members["framework"] != nil }

    private static func readCluster(
        _ flags: ClusterOptions?, _ settings: inout SettingLookup
    ) throws -> (RedisAddress, isDurable: Bool)? {
        let text = try settings.text("cluster", flags?.cluster)
        let isDurable = try settings.flag("cluster-durable", flags?.clusterDurable ?? false)
        guard flags != nil, let text else { return nil }
        // The address may have a password, so the error does not repeat it.
        do { return (try RedisAddress(text), isDurable) } catch { throw settings.error("cluster", "cluster: \(error)") }
    }

    private mutating func readApp(_ flags: ServeOptions, _ settings: inout SettingLookup) throws {
        app.rootURL = try settings.value("root-url", flags.rootURL, "an address like http://localhost:3000") { text in
            guard let url = URL(string: text), ["http", "https"].contains(url.scheme) else { return nil }
            return url.host == nil ? nil : url
        }
        app.pushToken = try settings.text("push-token", flags.pushToken)
        app.signInURL = try settings.value("sign-in-url", flags.signInURL, "an address or a path like /session") {
            URL(string: $0)
        }
        app.signInPath = try settings.value("sign-in-path", flags.signInPath, "a path like /signin") {
            $0.hasPrefix("/") ? URL(string: $0) : nil
        }
        app.tabs = try settings.values("tab", flags.tab, "a title and a path, such as Posts=/posts") {
            EmulatedApp.Tab($0)
        }
        let known = app.components.map { $0.name } + ["none"]
        // A build may have components of its own, which bridged does not know.
        let isOfBuild = binary?.members["component"] != nil
        let components = try settings.values("component", flags.component, "one of \(known.joined(separator: ", "))") {
            known.contains($0) || isOfBuild ? $0 : nil
        }
        if !components.isEmpty || isOfBuild { app.components.removeAll { !components.contains($0.name) } }
        app.binary.name = binary?.name
        app.binary.ownComponents = components.filter { !known.contains($0) }
        let screens = try settings.list("native-screen", flags.nativeScreen)
        if !screens.isEmpty || settings.isInFile("native-screen") { app.binary.nativeScreens = screens }
        let uris = try settings.values("uri", flags.uri, "a URI such as hotwire://fragment/numbers") {
            URL(string: $0)?.scheme == nil ? nil : $0
        }
        if !uris.isEmpty || settings.isInFile("uri") { app.binary.uris = uris }
        app.applicationUserAgentPrefix = try settings.text(
            "application-user-agent-prefix", flags.applicationUserAgentPrefix)
        if let timeout = try settings.duration("redirect-resolution-timeout", flags.redirectResolutionTimeout) {
            app.redirectResolutionTimeout = timeout
        }
        try readHandlers(flags, &settings)
        app.lazyLoadTabs =
            try settings.value("lazy-load-tabs", flags.lazyLoadTabs, "true or false") { Bool($0) }
            ?? app.lazyLoadTabs
        app.tabBarHiding = try settings.value(
            "hide-tab-bar", flags.hideTabBar, "whenPushed on iOS, or always on Android"
        ) { [frameworks] text in
            TabBarHiding(rawValue: text).flatMap { hiding in
                frameworks.contains { $0.platform == hiding.platform } ? hiding : nil
            }
        }
        app.hiddenTabs = try settings.values("hidden-tab", flags.hiddenTab, "a tab's title, on Android") {
            [tabs = app.tabs, frameworks] text in
            tabs.contains { $0.title == text } && frameworks.contains { $0.platform == .android } ? text : nil
        }
        app.jsonDecoder = try settings.value(
            "json-decoder", flags.jsonDecoder, "useDefaultKeys or convertFromSnakeCase"
        ) { strategy in
            let decoder = JSONDecoder()
            if strategy == "convertFromSnakeCase" { decoder.keyDecodingStrategy = .convertFromSnakeCase }
            return ["useDefaultKeys", "convertFromSnakeCase"].contains(strategy) ? decoder : nil
        }
        app.jsonEncoder = try settings.value(
            "json-encoder", flags.jsonEncoder, "useDefaultKeys or convertToSnakeCase"
        ) { strategy in
            let encoder = JSONEncoder()
            if strategy == "convertToSnakeCase" { encoder.keyEncodingStrategy = .convertToSnakeCase }
            return ["useDefaultKeys", "convertToSnakeCase"].contains(strategy) ? encoder : nil
        }
        app.turboAdapter = try settings.script("turbo-adapter", flags.turboAdapter)
        app.bridgeAdapter = try settings.script("bridge-adapter", flags.bridgeAdapter)
    }

    /// Reads the handlers that an app registers in an order.
    private mutating func readHandlers(_ flags: ServeOptions, _ settings: inout SettingLookup) throws {
        let names = RouteDecisionHandler.names.joined(separator: ", ")
        let routes = try settings.values(
            "route-decision-handler", flags.routeDecisionHandler,
            "one of \(names), or one with a host as in safari=HOST"
        ) { RouteDecisionHandler($0) }
        if !routes.isEmpty { app.routeDecisionHandlers = routes }
        let known = WebViewPolicyHandler.allCases.map(\.rawValue) + ["none"]
        let policies = try settings.values(
            "web-view-policy-decision-handler", flags.webViewPolicyDecisionHandler,
            "one of \(known.joined(separator: ", "))"
        ) { known.contains($0) ? $0 : nil }
        if !policies.isEmpty {
            app.webViewPolicyDecisionHandlers = policies.compactMap(WebViewPolicyHandler.init(rawValue:))
        }
    }

    private mutating func readServer(_ flags: ServeOptions, _ settings: inout SettingLookup) throws {
        let hosts = try settings.list("host", flags.host)
        server.addresses = (hosts.isEmpty ? ["localhost"] : hosts)
            .flatMap { $0 == "localhost" ? ["127.0.0.1", "::1"] : [$0] }
        server.port =
            try settings.value("port", flags.port, "a number from 0 to 65535") { UInt16($0) }
            ?? DaemonEndpoint.defaultPort
        server.allowedOrigins = try settings.list("allow-origin", flags.allowOrigin)
        server.appOrigins = try settings.list("app-origin", flags.appOrigin)
        if let rootURL = app.rootURL { server.appOrigins.append(rootURL.originText) }
        server.hasStrictOrigins = try settings.flag("strict-origins", flags.strictOrigins)
        server.logPath = try settings.text("log", flags.log)
        server.discriminator = try settings.text("discriminator", flags.discriminator) ?? server.discriminator
        let certificate = try settings.text("tls-cert", flags.tlsCert)
        let key = try settings.text("tls-key", flags.tlsKey)
        if let certificate, let key {
            server.tls = TLSFiles(certificate: certificate, key: key)
        }
        if try settings.flag("no-redact", flags.noRedact) { server.redaction = .none }
        for key in try settings.list("redact", flags.redact) { server.redaction.add(key) }
    }

    // MARK: Server and app

    /// Makes the server, with the database, stubs and interface objects that the settings declare.
    func makeServer() throws -> BridgeServer {
        let server = try BridgeServer(server)
        if let database { server.traffic.keep(in: try TrafficDatabase(path: database, retention: retention)) }
        for stub in file?.stubs ?? [] {
            server.stub(stub.handler, webView: stub.webView, match: stub.match, reply: stub.reply, delay: stub.delay)
        }
        for (name, object) in file?.interfaces ?? [:] { server.addJavascriptInterface(object, name: name) }
        return server
    }

    /// Makes the server a node of the cluster; nil if there is none.
    func makeCluster(_ server: BridgeServer) throws -> Cluster? {
        try cluster.map { try Cluster($0.address, isDurable: $0.isDurable, server) }
    }

    /// Makes the emulated app, with the message types that the file declares.
    /// - Parameter framework: the first of `frameworks` if nil.
    func makeApp(_ server: BridgeServer, with framework: Framework? = nil) throws -> EmulatedApp {
        var configuration = app
        configuration.framework = framework ?? frameworks.first ?? .default
        configuration.pathConfiguration = try readPathConfiguration(for: configuration.framework)
        let app = try EmulatedApp(server: server, configuration)
        for (handler, messages) in file?.messages ?? [:] {
            if handler == "nativeApp" {
                for message in messages { app.dispatcher.on(named: message.name, message.handle) }
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
        _ = try readPathConfiguration(for: frameworks.first ?? .default)
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

extension SettingLookup {
    /// Reads the file that a setting names.
    fileprivate mutating func script(_ name: String, _ flag: String?) throws -> String? {
        try value(name, flag, "the path of a readable script file") {
            FileManager.default.contents(atPath: $0).map { String(decoding: $0, as: UTF8.self) }
        }
    }
}

extension EmulatedApp.Tab {
    /// Reads `Posts=/posts`.
    fileprivate init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, parts[1].hasPrefix("/"), let url = URL(string: String(parts[1])) else { return nil }
        self.init(title: String(parts[0]), url: url)
    }
}
