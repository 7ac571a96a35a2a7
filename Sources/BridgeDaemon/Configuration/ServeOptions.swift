import ArgumentParser
import PathConfiguration

/// The flags of `serve`. All may be left out: then the environment and `bridged.yml` tell, and last the defaults.
struct ServeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Read settings, stubs and message types from this file. (default: bridged.yml, where there is one)",
            valueName: "file"))
    var config: String?

    @Option(
        help: ArgumentHelp(
            "Address to listen on; may be repeated. (default: localhost)",
            discussion: "Another than localhost asks a token of every page.", valueName: "address"))
    var host: [String] = []

    @Option(help: "Port to listen on; 0 picks a free one. (default: 2734)")
    var port: UInt16?

    @Option(help: ArgumentHelp("Append the traffic to a file, one JSON object a line.", valueName: "file"))
    var log: String?

    @Option(help: ArgumentHelp("Keep the traffic in an SQLite file, for tools to ask for.", valueName: "file"))
    var database: String?

    @Option(
        help: ArgumentHelp(
            "How much the database keeps: a number of records, or an age such as 7d or 12h. (default: 100000)",
            valueName: "amount"))
    var keep: String?

    @Option(
        help: ArgumentHelp(
            "Record values under this key by type and length alone, as those of passwords are; may be repeated.",
            valueName: "key"))
    var redact: [String] = []

    @Flag(help: "Record secrets as they are.")
    var noRedact = false

    @Flag(help: "Write the traffic to standard output, one JSON object a line.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "The system that the app runs on: ios or android. (default: ios)",
            discussion: "bridged test takes several, as in ios,android, and shows where they differ.",
            valueName: "platform"))
    var platform: [String] = []

    @Option(
        help: ArgumentHelp(
            "The app's address, against which paths such as /customers/new are resolved.", valueName: "url"))
    var rootURL: String?

    @Option(help: ArgumentHelp("The device token that pages get. Left out, one is made up.", valueName: "token"))
    var pushToken: String?

    @Option(
        help: ArgumentHelp(
            "The app's path configuration. (default: the built-in rules alone)", valueName: "file|url"))
    var pathConfiguration: String?

    @Option(
        help: ArgumentHelp(
            "Where the native sign-in posts credentials, after a visit is answered with 401.", valueName: "url|path"))
    var signInURL: String?

    @Option(
        help: ArgumentHelp(
            "A tab of the app: its title and where it starts, such as Posts=/posts; may be repeated.",
            valueName: "title=path"))
    var tab: [String] = []

    @Option(
        help: ArgumentHelp(
            "A bridge component that the app has, such as form, or none; may be repeated. (default: all that are built in)",
            valueName: "name"))
    var component: [String] = []

    @Option(
        help: ArgumentHelp(
            "Script in place of bridged's own adapter for Turbo, such as your framework's turbo.js.", valueName: "file")
    )
    var turboAdapter: String?

    @Option(
        help: ArgumentHelp("Let pages of this origin attach beside local ones; may be repeated.", valueName: "origin"))
    var allowOrigin: [String] = []

    @Option(
        help: ArgumentHelp(
            "How long a handler may take to reply, such as 5s. (default: any time, as in WebKit)", valueName: "time"))
    var replyTimeout: String?

    @Option(
        help: ArgumentHelp("The member of a message's body that tells its type. (default: name)", valueName: "key"))
    var discriminator: String?

    @Option(
        help: ArgumentHelp(
            "Serve https and wss with this certificate: a PEM file, with those of the way to its root behind it.",
            valueName: "file"))
    var tlsCert: String?

    @Option(help: ArgumentHelp("The certificate's private key: a PEM file without a password.", valueName: "file"))
    var tlsKey: String?

    @OptionGroup(title: "Limits") var limits: LimitOptions

    @Flag(name: .shortAndLong, help: "Say more on standard error.")
    var verbose = false

    /// What is given, as texts.
    var flags: [Setting: [String]] {
        let lists: [Setting: [String]] = [
            .host: host, .redact: redact, .allowOrigin: allowOrigin, .tab: tab, .component: component,
            .platform: platform.flatMap { $0.split(separator: ",").map(String.init) },
        ]
        let texts: [Setting: String?] = [
            .port: port.map(String.init), .log: log, .database: database, .keep: keep, .rootURL: rootURL,
            .pushToken: pushToken, .pathConfiguration: pathConfiguration, .signInURL: signInURL,
            .turboAdapter: turboAdapter, .replyTimeout: replyTimeout, .discriminator: discriminator,
            .tlsCert: tlsCert, .tlsKey: tlsKey,
        ]
        let switches: [Setting: Bool] = [.noRedact: noRedact, .json: json, .verbose: verbose]
        return lists.filter { !$0.value.isEmpty }
            .merging((texts.merging(limits.texts) { $1 }).compactMapValues { $0.map { [$0] } }) { $1 }
            .merging(switches.filter(\.value).mapValues { _ in ["true"] }) { $1 }
    }
}
