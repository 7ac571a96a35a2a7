import ArgumentParser
import BridgeProtocol
import EmulatedApp
import TrafficDatabase

/// The flags of `serve`. ``ServeConfiguration`` looks for those that are left out in the environment and `bridged.yml`.
struct ServeOptions: ParsableArguments {
    static let defaultRetention = Retention.records(100_000)

    @Option(
        help: ArgumentHelp(
            "Read settings, stubs and message types from this file. (default: bridged.yml if there is one)",
            valueName: "file"))
    var config: String?

    @Option(
        help: ArgumentHelp(
            "Address to listen on; may be repeated. (default: localhost)",
            discussion: "On any other address, every page needs a token.", valueName: "address"))
    var host: [String] = []

    @Option(help: "Port to listen on; 0 picks a free one. (default: \(DaemonEndpoint.defaultPort); in test a free one)")
    var port: String?

    @Option(help: ArgumentHelp("Append the traffic to a file, one JSON object a line.", valueName: "file"))
    var log: String?

    @Option(help: ArgumentHelp("Keep the traffic in an SQLite file, where tools can query it.", valueName: "file"))
    var database: String?

    @Option(
        help: ArgumentHelp(
            "How much the database keeps: a number of records, or an age such as 7d or 12h. (default: 100000)",
            valueName: "amount"))
    var keep: String?

    @Option(
        help: ArgumentHelp(
            "Record only type and length of the values under this key, as for passwords; may be repeated.",
            valueName: "key"))
    var redact: [String] = []

    @Flag(help: "Record secrets as they are.")
    var noRedact = false

    @Flag(help: "Write the traffic to standard output, one JSON object a line.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "The framework of the app and its release: \(Framework.names). (default: \(Framework.default.name))",
            discussion: "bridged test takes several, as in ios,android, and shows where they differ.",
            valueName: "framework"))
    var framework: [String] = []

    @Option(
        help: ArgumentHelp(
            "The app's address, against which paths such as /customers/new are resolved.", valueName: "url"))
    var rootURL: String?

    @Option(help: ArgumentHelp("The device token that pages get. (default: a random one)", valueName: "token"))
    var pushToken: String?

    @Option(
        help: ArgumentHelp(
            "The app's path configuration; may be repeated, as an app bundles one and loads a newer one: the last that was loaded is in force. (default: only the built-in rules)",
            valueName: "file|url"))
    var pathConfiguration: [String] = []

    @Option(
        help: ArgumentHelp(
            "Where the native sign-in posts credentials after a visit is answered with 401.", valueName: "url|path"))
    var signInURL: String?

    @Option(
        help: ArgumentHelp("The page to which the app routes after a visit is answered with 401.", valueName: "path"))
    var signInPath: String?

    @Option(
        help: ArgumentHelp(
            "A tab of the app: its title and where it starts, such as Posts=/posts; may be repeated.",
            valueName: "title=path"))
    var tab: [String] = []

    @Option(
        help: ArgumentHelp(
            "A bridge component that the app has, such as form, or none; may be repeated. (default: all built-in ones)",
            valueName: "name"))
    var component: [String] = []

    @Option(
        help: ArgumentHelp(
            "iOS: a view_controller that the app shows as a native screen; may be repeated. (default: each)",
            valueName: "name"))
    var nativeScreen: [String] = []

    @Option(
        help: ArgumentHelp(
            "Android: a uri for which the app has registered a fragment; may be repeated. (default: those of hotwire://fragment/)",
            valueName: "uri"))
    var uri: [String] = []

    @Option(
        help: ArgumentHelp(
            "A file that says what a build of the app has; what the server offers and the build lacks is reported.",
            discussion: "bridged test takes several, as in app-1.0.yml,app-2.0.yml, and runs each flow with every one.",
            valueName: "file"))
    var binary: [String] = []

    @Option(
        help: ArgumentHelp("What the user agent has before the framework's part, such as MyApp/2.1.", valueName: "text")
    )
    var applicationUserAgentPrefix: String?

    @Option(
        help: ArgumentHelp(
            "How long to look where a failed request of Turbo was redirected to, such as 5s. (default: 30s)",
            valueName: "time"))
    var redirectResolutionTimeout: String?

    @Option(
        help: ArgumentHelp(
            "A handler that decides where a location opens, such as safari, or app-navigation=www.example.com for one host; may be repeated, in order. (default: app-navigation, safari, system-navigation)",
            valueName: "name"))
    var routeDecisionHandler: [String] = []

    @Option(
        help: ArgumentHelp(
            "A handler that decides about a page's links, or none; may be repeated, in order. (default: \(WebViewPolicyHandler.allCases.map(\.rawValue).joined(separator: ", ")))",
            valueName: "name"))
    var webViewPolicyDecisionHandler: [String] = []

    @Option(
        help: ArgumentHelp(
            "Whether a tab of a driven browser loads when it is first tapped: true or false. (default: false)",
            valueName: "flag"))
    var lazyLoadTabs: String?

    @Option(
        help: ArgumentHelp(
            "Where the tab bar is hidden: whenPushed on iOS, above a tab's first screen, or always on Android.",
            valueName: "place"))
    var hideTabBar: String?

    @Option(help: ArgumentHelp("A tab that Android's tab bar does not show; may be repeated.", valueName: "title"))
    var hiddenTab: [String] = []

    @Option(
        help: ArgumentHelp(
            "How components read keys: useDefaultKeys or convertFromSnakeCase.", valueName: "strategy"))
    var jsonDecoder: String?

    @Option(
        help: ArgumentHelp("How components write keys: useDefaultKeys or convertToSnakeCase.", valueName: "strategy"))
    var jsonEncoder: String?

    @Option(
        help: ArgumentHelp(
            "Script to use instead of bridged's own adapter for Turbo, such as your framework's turbo.js.",
            valueName: "file"))
    var turboAdapter: String?

    @Option(
        help: ArgumentHelp(
            "Script to use instead of bridged's own adapter for bridge components, such as your framework's bridge.js.",
            valueName: "file"))
    var bridgeAdapter: String?

    @Option(
        help: ArgumentHelp(
            "Let pages of this origin attach, in addition to local ones; may be repeated.",
            discussion: "A * stands for any subdomain or any port: https://*.example.com:*", valueName: "origin"))
    var allowOrigin: [String] = []

    @Option(
        help: ArgumentHelp(
            "Origin of the app's pages, which alone may be main and modal; may be repeated. (default: that of root-url, or of the first page)",
            valueName: "origin"))
    var appOrigin: [String] = []

    @Flag(help: "Let only pages attach whose origins are named by root-url, app-origin or allow-origin.")
    var strictOrigins = false

    @Option(
        help: ArgumentHelp(
            "How long a handler may take to reply, such as 5s. (default: no limit, as in WebKit)", valueName: "time"))
    var replyTimeout: String?

    @Option(
        help: ArgumentHelp("The member of a message's body that names its type. (default: name)", valueName: "key"))
    var discriminator: String?

    @Option(
        help: ArgumentHelp(
            "Serve https and wss with this certificate: a PEM file that ends with the intermediate certificates.",
            valueName: "file"))
    var tlsCert: String?

    @Option(help: ArgumentHelp("The certificate's private key: a PEM file without a password.", valueName: "file"))
    var tlsKey: String?

    @OptionGroup(title: "Limits") var limits: LimitOptions

    @Flag(name: .shortAndLong, help: "Write more details to standard error.")
    var verbose = false
}
