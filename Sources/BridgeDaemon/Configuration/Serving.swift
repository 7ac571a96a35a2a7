import BridgeProtocol
import BridgeServer
import BridgeYAML
import EmulatedApp
import Foundation
import PathConfiguration
import TrafficDatabase

/// What `serve` is to do, all checked.
struct Serving {
    var configuration: BridgeServer.Configuration
    let rootURL: URL?
    let pushToken: String?
    let signInURL: URL?
    let pathConfiguration: PathConfiguration.Source?
    /// One, or several for flows to run on.
    let platforms: [Platform]
    let tabs: [EmulatedApp.Tab]
    /// Names of built-in components; empty for all.
    private let components: [String]
    /// Script in place of web/turbo.js.
    let turboAdapter: String?
    let writesJSON: Bool
    let isVerbose: Bool
    private let database: String?
    private let retention: Retention
    private let file: ConfigurationFile?

    /// - Throws: `YAMLError` for a mistake in the file, `SettingError` for one elsewhere.
    init(_ options: ServeOptions) throws {
        let environment = ProcessInfo.processInfo.environment
        let file = try ConfigurationFile.find(options.config ?? environment["BRIDGED_CONFIG"])
        let settings = Settings(flags: options.flags, environment: environment, file: file)
        self.file = file
        database = settings.text(.database)
        retention =
            try settings.value(.keep, "a number of records, or an age like 7d or 12h", Retention.init)
            ?? .records(100_000)
        rootURL = try settings.value(.rootURL, "an address like http://localhost:3000", Serving.webAddress)
        pushToken = settings.text(.pushToken)
        signInURL = try settings.value(.signInURL, "an address or a path like /session") { URL(string: $0) }
        pathConfiguration = try settings.value(.pathConfiguration, "a file or an address") {
            $0.hasPrefix("http") ? URL(string: $0).map { .server($0) } : .file(URL(fileURLWithPath: $0))
        }
        let platforms = try settings.values(.platform, "ios or android") { Platform(rawValue: $0) }
        self.platforms = platforms.isEmpty ? [.ios] : platforms
        tabs = try settings.values(.tab, "a title and a path, such as Posts=/posts") { EmulatedApp.Tab($0) }
        let known = MainActor.assumeIsolated { BridgeComponent.builtIn.map { $0.name } } + ["none"]
        components = try settings.values(.component, "one of \(known.joined(separator: ", "))") {
            known.contains($0) ? $0 : nil
        }
        turboAdapter = try settings.value(.turboAdapter, "a script in a file that is there and may be read") {
            FileManager.default.contents(atPath: $0).map { String(decoding: $0, as: UTF8.self) }
        }
        writesJSON = try settings.flag(.json)
        isVerbose = try settings.flag(.verbose)
        configuration = try Serving.configuration(settings)
    }

    private static func webAddress(_ text: String) -> URL? {
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host != nil else { return nil }
        return url
    }

    private static func configuration(_ settings: Settings) throws -> BridgeServer.Configuration {
        var configuration = BridgeServer.Configuration()
        let hosts = settings.list(.host)
        configuration.addresses = (hosts.isEmpty ? ["localhost"] : hosts)
            .flatMap { $0 == "localhost" ? ["127.0.0.1", "::1"] : [$0] }
        configuration.port = try settings.value(.port, "a number from 0 to 65535") { UInt16($0) } ?? 2734
        configuration.allowedOrigins = settings.list(.allowOrigin)
        configuration.logPath = settings.text(.log)
        configuration.discriminator = settings.text(.discriminator) ?? "name"
        configuration.limits.replyTimeout = try settings.duration(.replyTimeout)
        try configuration.setLimits(settings)
        configuration.tls = try tlsFiles(settings)
        configuration.redaction = try settings.flag(.noRedact) ? .none : .standard
        for key in settings.list(.redact) { configuration.redaction.add(key) }
        return configuration
    }

    private static func tlsFiles(_ settings: Settings) throws(SettingError) -> TLSFiles? {
        switch (settings.text(.tlsCert), settings.text(.tlsKey)) {
        case (nil, nil): return nil
        case (let certificate?, let key?): return TLSFiles(certificate: certificate, key: key)
        case (let certificate, _):
            let (given, missing): (Setting, Setting) = certificate == nil ? (.tlsKey, .tlsCert) : (.tlsCert, .tlsKey)
            throw SettingError(
                description: "\(given.rawValue) needs \(missing.rawValue) as well: a certificate and its private key.")
        }
    }

    @MainActor func makeServer() throws -> BridgeServer {
        let server = try BridgeServer(configuration)
        if let database { server.traffic.keep(in: try TrafficDatabase(path: database, retention: retention)) }
        for stub in file?.stubs ?? [] {
            server.stub(stub.handler, webView: stub.webView, match: stub.match, reply: stub.reply, delay: stub.delay)
        }
        for (name, object) in file?.interfaces ?? [:] { server.addJavascriptInterface(object, name: name) }
        return server
    }

    @MainActor private func appConfiguration(_ platform: Platform) -> EmulatedApp.Configuration {
        var app = EmulatedApp.Configuration(rootURL: rootURL, pushToken: pushToken)
        app.signInURL = signInURL
        app.tabs = tabs
        if !components.isEmpty { app.components.removeAll { !components.contains($0.name) } }
        app.adapter = turboAdapter
        app.platform = platform
        app.pathConfiguration = PathConfiguration(
            sources: [pathConfiguration].compactMap(\.self), options: .init(profile: platform))
        return app
    }

    /// The emulated app, with the message types that the file declares.
    /// - Parameter platform: nil for the first that is named.
    @MainActor func makeApp(_ server: BridgeServer, on platform: Platform? = nil) throws -> EmulatedApp {
        let app = try EmulatedApp(server: server, appConfiguration(platform ?? platforms[0]))
        for (handler, messages) in file?.messages ?? [:] {
            if handler == "nativeApp" {
                for message in messages { app.dispatcher.on(named: message.name, message.handle) }
            } else {
                server.addHandler(handler, .declared(messages, discriminator: configuration.discriminator))
            }
        }
        return app
    }
}

extension EmulatedApp.Tab {
    /// - Parameter text: such as `Posts=/posts`.
    fileprivate init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, parts[1].hasPrefix("/"), let url = URL(string: String(parts[1])) else { return nil }
        self.init(title: String(parts[0]), url: url)
    }
}
