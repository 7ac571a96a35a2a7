import ArgumentParser
import BridgeCluster
import BridgeProtocol
import BridgeServer
import EmulatedApp
import Foundation
import PathConfiguration
import TrafficDatabase

/// The settings of `serve`, as its options. ``SettingLookup`` looks for those that are left out in the environment and
/// `bridged.yml`.
struct ServeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Read settings, stubs and message types from this file. (default: bridged.yml if there is one)",
            valueName: "file"))
    var config: String?

    @Option(
        Setting(
            "Answer from this file, which bridged cassette record wrote: what a real app answered to the same messages.",
            "file"
        ) { $0.cassettePath = $1.text })
    var cassette: Setting

    @Option(
        Setting(
            "Whether serve also records pages in an app of their own in the cassette: none, once (if there is no such file yet) or new_episodes (what it lacks). (default: none)",
            "mode"
        ) { $0.cassetteMode = try $1.value("none, once or new_episodes") { CassetteMode(rawValue: $0) } })
    var cassetteMode: Setting

    @Option(
        Setting(
            "Address to listen on; may be repeated. (default: localhost)",
            discussion: "On any other address, every page needs a token.", "address"
        ) { $0.server.addresses = $1.texts.flatMap { $0 == "localhost" ? ["127.0.0.1", "::1"] : [$0] } })
    var host: [Setting]

    @Option(
        Setting(
            "Port to listen on; 0 picks a free one. (default: \(DaemonEndpoint.defaultPort); in test a free one)",
            "port"
        ) { $0.server.port = try $1.value("a number from 0 to 65535") { UInt16($0) } })
    var port: Setting

    @Option(
        Setting("Append the traffic to a file, one JSON object a line.", "file") { $0.server.logPath = $1.text })
    var log: Setting

    @Option(
        Setting("Keep the traffic in an SQLite file, where tools can query it.", "file") { $0.database = $1.text })
    var database: Setting

    @Option(
        Setting(
            "How much the database keeps: a number of records, or an age such as 7d or 12h. (default: 100000)", "amount"
        ) { $0.retention = try $1.value("a number of records, or an age like 7d or 12h", Retention.init) })
    var keep: Setting

    @Option(
        Setting("Record only type and length of the values under this key, as for passwords; may be repeated.", "key") {
            for key in $1.texts { $0.server.redaction.add(key) }
        })
    var redact: [Setting]

    @Flag(help: "Record secrets as they are.")
    var noRedact = false

    @Flag(help: "Write the traffic to standard output, one JSON object a line.")
    var json = false

    @Option(
        Setting(
            "The framework of the app and its release: \(Framework.names). (default: \(Framework.default.name))",
            discussion: "bridged test takes several, as in ios,android, and shows where they differ.", "framework",
            splitsTexts: true
        ) { $0.frameworks = try $1.values(Framework.names) { Framework(named: $0) } })
    var framework: [Setting]

    @Option(
        Setting("The app's address, against which paths such as /customers/new are resolved.", "url") {
            $0.app.rootURL = try $1.value("an address like http://localhost:3000") { text in
                guard let url = URL(string: text), ["http", "https"].contains(url.scheme) else { return nil }
                return url.host == nil ? nil : url
            }
        })
    var rootURL: Setting

    @Option(
        Setting("The device token that pages get. (default: a random one)", "token") { $0.app.pushToken = $1.text })
    var pushToken: Setting

    @Option(
        Setting(
            "The app's path configuration; may be repeated, as an app bundles one and loads a newer one: the last that was loaded is in force. (default: only the built-in rules)",
            "file|url"
        ) {
            let build = $1.isOfBuild ? $0.binary : nil
            $0.pathConfigurations = try $1.values("a file or an address") { text in
                guard !text.hasPrefix("http") else { return URL(string: text).map { .server($0) } }
                return .file(build?.file(at: text) ?? URL(fileURLWithPath: text))
            }
        })
    var pathConfiguration: [Setting]

    @Option(
        Setting("Where the native sign-in posts credentials after a visit is answered with 401.", "url|path") {
            $0.app.signInURL = try $1.value("an address or a path like /session") { URL(string: $0) }
        })
    var signInURL: Setting

    @Option(
        Setting("The page to which the app routes after a visit is answered with 401.", "path") {
            $0.app.signInPath = try $1.value("a path like /signin") { $0.hasPrefix("/") ? URL(string: $0) : nil }
        })
    var signInPath: Setting

    @Option(
        Setting("A tab of the app: its title and where it starts, such as Posts=/posts; may be repeated.", "title=path")
        {
            $0.app.tabs = try $1.values("a title and a path, such as Posts=/posts") { text in
                let parts = text.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, parts[1].hasPrefix("/"), let url = URL(string: String(parts[1])) else {
                    return nil
                }
                return EmulatedApp.Tab(title: String(parts[0]), url: url)
            }
        })
    var tab: [Setting]

    @Option(
        Setting(
            "A bridge component that the app has, such as form, or none; may be repeated. (default: all built-in and declared ones)",
            "name", readsEmptyLists: true
        ) { configuration, found in
            let declared = configuration.app.declaredComponents.map(\.name)
            let known = configuration.app.components.map { $0.name } + declared + ["none"]
            // A build may have components of its own, which bridged does not know.
            let names = try found.values("one of \(known.joined(separator: ", "))") {
                known.contains($0) || found.isOfBuild ? $0 : nil
            }
            guard !names.isEmpty || found.isOfBuild else { return }
            configuration.app.components.removeAll { !names.contains($0.name) }
            configuration.app.declaredComponents.removeAll { !names.contains($0.name) }
            configuration.app.binary.ownComponents = names.filter { !known.contains($0) }
        })
    var component: [Setting]

    @Option(
        Setting(
            "iOS: a view_controller that the app shows as a native screen; may be repeated. (default: each)", "name",
            readsEmptyLists: true
        ) { $0.app.binary.nativeScreens = $1.texts })
    var nativeScreen: [Setting]

    @Option(
        Setting(
            "Android: a uri for which the app has registered a fragment; may be repeated. (default: those of hotwire://fragment/)",
            "uri", readsEmptyLists: true
        ) {
            $0.app.binary.uris = try $1.values("a URI such as hotwire://fragment/numbers") {
                URL(string: $0)?.scheme == nil ? nil : $0
            }
        })
    var uri: [Setting]

    @Option(
        help: ArgumentHelp(
            "A file that says what a build of the app has; what the server offers and the build lacks is reported.",
            discussion: "bridged test takes several, as in app-1.0.yml,app-2.0.yml, and runs each flow with every one.",
            valueName: "file"))
    var binary: [String] = []

    @Option(
        Setting("What the user agent has before the framework's part, such as MyApp/2.1.", "text") {
            $0.app.applicationUserAgentPrefix = $1.text
        })
    var applicationUserAgentPrefix: Setting

    @Option(
        Setting(
            "How long to look where a failed request of Turbo was redirected to, such as 5s. (default: 30s)", "time"
        ) { $0.app.redirectResolutionTimeout = try $1.duration() })
    var redirectResolutionTimeout: Setting

    @Option(
        Setting(
            "A handler that decides where a location opens, such as safari, or app-navigation=www.example.com for one host; may be repeated, in order. (default: app-navigation, safari, system-navigation)",
            "name"
        ) {
            let names = RouteDecisionHandler.names.joined(separator: ", ")
            $0.app.routeDecisionHandlers = try $1.values("one of \(names), or one with a host as in safari=HOST") {
                RouteDecisionHandler($0)
            }
        })
    var routeDecisionHandler: [Setting]

    @Option(
        Setting(
            "A handler that decides about a page's links, or none; may be repeated, in order. (default: \(WebViewPolicyHandler.allCases.map(\.rawValue).joined(separator: ", ")))",
            "name"
        ) {
            let known = WebViewPolicyHandler.allCases.map(\.rawValue) + ["none"]
            let names = try $1.values("one of \(known.joined(separator: ", "))") { known.contains($0) ? $0 : nil }
            $0.app.webViewPolicyDecisionHandlers = names.compactMap(WebViewPolicyHandler.init(rawValue:))
        })
    var webViewPolicyDecisionHandler: [Setting]

    @Option(
        Setting(
            "Whether a tab of a driven browser loads when it is first tapped: true or false. (default: false)", "flag"
        ) { $0.app.lazyLoadTabs = try $1.value("true or false") { Bool($0) } })
    var lazyLoadTabs: Setting

    @Option(
        Setting(
            "Where the tab bar is hidden: whenPushed on iOS, above a tab's first screen, or always on Android.", "place"
        ) { configuration, found in
            let platforms = configuration.frameworks.map(\.platform)
            configuration.app.tabBarHiding = try found.value("whenPushed on iOS, or always on Android") {
                TabBarHiding(rawValue: $0).flatMap { platforms.contains($0.platform) ? $0 : nil }
            }
        })
    var hideTabBar: Setting

    @Option(
        Setting("A tab that Android's tab bar does not show; may be repeated.", "title") { configuration, found in
            let isAndroid = configuration.frameworks.contains { $0.platform == .android }
            let titles = isAndroid ? configuration.app.tabs.map(\.title) : []
            configuration.app.hiddenTabs = try found.values("a tab's title, on Android") {
                titles.contains($0) ? $0 : nil
            }
        })
    var hiddenTab: [Setting]

    @Option(
        Setting("How components read keys: useDefaultKeys or convertFromSnakeCase.", "strategy") {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = try $1.value("useDefaultKeys or convertFromSnakeCase") {
                ["useDefaultKeys": .useDefaultKeys, "convertFromSnakeCase": .convertFromSnakeCase][$0]
            }
            $0.app.jsonDecoder = decoder
        })
    var jsonDecoder: Setting

    @Option(
        Setting("How components write keys: useDefaultKeys or convertToSnakeCase.", "strategy") {
            let encoder = JSONEncoder()
            encoder.keyEncodingStrategy = try $1.value("useDefaultKeys or convertToSnakeCase") {
                ["useDefaultKeys": .useDefaultKeys, "convertToSnakeCase": .convertToSnakeCase][$0]
            }
            $0.app.jsonEncoder = encoder
        })
    var jsonEncoder: Setting

    @Option(
        Setting("Script to use instead of bridged's own adapter for Turbo, such as your framework's turbo.js.", "file")
        {
            $0.app.turboAdapter = try $1.script()
        })
    var turboAdapter: Setting

    @Option(
        Setting(
            "Script to use instead of bridged's own adapter for bridge components, such as your framework's bridge.js.",
            "file"
        ) { $0.app.bridgeAdapter = try $1.script() })
    var bridgeAdapter: Setting

    @Option(
        Setting(
            "Let pages of this origin attach, in addition to local ones; may be repeated.",
            discussion: "A * stands for any subdomain or any port: https://*.example.com:*", "origin"
        ) { $0.server.allowedOrigins = $1.texts })
    var allowOrigin: [Setting]

    @Option(
        Setting(
            "Origin of the app's pages, which alone may be main and modal; may be repeated. (default: that of root-url, or of the first page)",
            "origin"
        ) { $0.server.appOrigins = $1.texts })
    var appOrigin: [Setting]

    @Flag(help: "Let only pages attach whose origins are named by root-url, app-origin or allow-origin.")
    var strictOrigins = false

    @Option(
        Setting("How long a handler may take to reply, such as 5s. (default: no limit, as in WebKit)", "time") {
            $0.server.limits.replyTimeout = try $1.duration()
        })
    var replyTimeout: Setting

    @Option(
        Setting("The member of a message's body that names its type. (default: name)", "key") {
            $0.server.discriminator = $1.text
        })
    var discriminator: Setting

    @Option(
        Setting(
            "Object or function that a real app calls in its pages, or interface object that it gives them, such as myApp.bridge; may be repeated.",
            "name"
        ) {
            $0.server.observed += try $1.values("the name of a global object or of a member, such as myApp.bridge") {
                ObservedName($0)?.text
            }
        })
    var observe: [Setting]

    @Option(
        Setting(
            "Serve https and wss with this certificate: a PEM file that ends with the intermediate certificates.",
            "file"
        ) { $0.server.tls = TLSFiles(certificate: $1.text, key: "") })
    var tlsCert: Setting

    @Option(
        Setting("The certificate's private key: a PEM file without a password.", "file") {
            $0.server.tls = TLSFiles(certificate: $0.server.tls?.certificate ?? "", key: $1.text)
        })
    var tlsKey: Setting

    @OptionGroup(title: "Limits") var limits: LimitOptions

    @Flag(name: .shortAndLong, help: "Write more details to standard error.")
    var verbose = false
}

/// The limits of `serve`, as its options.
struct LimitOptions: ParsableArguments {
    @Option(.count("How many connections are open at a time.", \.connections)) var maxConnections: Setting

    @Option(
        Setting("How many of these connections one address may have. (default: all)", "count") {
            $0.server.limits.connectionsPerAddress = try $1.count(in: 1...1_000_000)
        })
    var maxConnectionsPerAddress: Setting

    @Option(.count("How many messages wait for a page or tool that does not read.", \.waitingMessages))
    var maxWaitingMessages: Setting

    @Option(.size("How large these messages are together.", \.waitingBytes)) var maxWaitingBytes: Setting

    @Option(.count("How many evaluations wait for a page, such as one that is away.", \.waitingEvaluations))
    var maxWaitingEvaluations: Setting

    @Option(.count("How many calls of one tool wait for their answers.", \.waitingCalls)) var maxWaitingCalls: Setting

    @Option(.count("How many wrong messages end a connection.", \.errors)) var maxErrors: Setting

    @Option(.size("How large a message or a POST is, such as 500KiB.", \.messageBytes)) var maxMessageBytes: Setting

    @Option(.size("How large a request's header is, including its cookies.", \.headerBytes, in: 1_024...65_535))
    var maxHeaderBytes: Setting

    @Option(.count("How many levels of arrays and objects a message has.", \.nesting, in: 8...2_048, "levels"))
    var maxNesting: Setting

    @Option(.count("How many values a message has: commas and opening brackets.", \.values, in: 1_000...100_000_000))
    var maxValues: Setting

    @Option(.size("How much all connections together make the daemon hold.", \.memoryBytes)) var maxMemoryBytes: Setting

    @Option(.time("How long a request, a handshake or a message takes to arrive.", \.handshakeTimeout, \.attachTimeout))
    var handshakeTimeout: Setting

    @Option(.time("How long a connection is silent before it counts as broken.", \.pongTimeout))
    var pongTimeout: Setting
}

/// The options of `serve` for a cluster of daemons.
struct ClusterOptions: ParsableArguments {
    @Option(
        Setting(
            "Work together with the other daemons that name this Redis, such as redis://host:6379/0?name=staging.",
            discussion: "A password is not shown to others in the environment variable BRIDGED_CLUSTER.", "url"
        ) {
            // The address may have a password, so the error does not repeat it.
            do { $0.cluster = try RedisAddress($1.text) } catch { throw $1.mistake("cluster: \(error)") }
        })
    var cluster: Setting

    @Flag(
        help:
            "Let pages go on with another daemon of the cluster when one is gone, without loss. Each reply waits for Redis."
    )
    var clusterDurable = false
}

extension FoundSetting {
    /// Reads the file that the text names.
    fileprivate func script() throws -> String {
        try value("the path of a readable script file") {
            FileManager.default.contents(atPath: $0).map { String(decoding: $0, as: UTF8.self) }
        }
    }
}
