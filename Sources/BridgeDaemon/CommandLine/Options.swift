import ArgumentParser
import BridgeClient
import BridgeProtocol
import Foundation

/// A command that people and programs use; with `--json` its failures are JSON, too.
protocol JSONCommand: ParsableCommand {
    var json: Bool { get }
}

/// A command that asks a running daemon to do something.
protocol ClientCommand: JSONCommand {
    var options: ClientOptions { get }
    func run(_ daemon: DaemonClient) throws
}

extension ClientCommand {
    var json: Bool { options.json }

    func run() throws { try runWithDaemon() }

    func runWithDaemon() throws {
        let environment = ProcessInfo.processInfo.environment
        LocalTraffic.bypassProxy()
        do {
            try run(DaemonClient(DaemonFinder(environment: environment).find(url: options.url)))
        } catch let error as ClientError {
            throw CommandFailure(error)
        }
    }
}

enum LocalTraffic {
    /// A proxy is for the net, not for what runs on this machine, and must not see a daemon's token. libcurl reads this.
    static func bypassProxy() {
        let others = ProcessInfo.processInfo.environment["no_proxy", default: ""]
        setenv("no_proxy", "localhost,127.0.0.1,::1,\(others)", 1)
    }
}

/// What every command takes that talks to a daemon.
struct ClientOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The daemon's address. Left out: BRIDGED_URL, or the one daemon that runs.", valueName: "url"))
    var url: String?

    @Flag(help: "Print one JSON object a line.")
    var json = false
}

/// Which page a command is about.
struct PageOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A page's id, such as p3; see bridged pages.", valueName: "id"))
    var page: String?

    @Option(
        help: ArgumentHelp(
            "A web view's name: its newest page; main, unless told.", valueName: "name"))
    var webView: String?

    func validate() throws {
        if page != nil, webView != nil { throw ValidationError("Give --page or --web-view, not both.") }
    }

    var params: [JSONValue.Member] {
        [page.map { .init("page", .string($0)) }, webView.map { .init("webView", .string($0)) }].compactMap(\.self)
    }
}

/// Which page's traffic a command is about; all of it, unless told.
struct PageFilterOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Only what concerns this page, such as p3.", valueName: "id"))
    var page: String?

    @Option(help: ArgumentHelp("Only what concerns this web view's pages.", valueName: "name"))
    var webView: String?

    /// As `traffic.query` and `messages.wait` have it.
    var params: [JSONValue.Member] {
        [page.map { .init("page", .string($0)) }, webView.map { .init("webView", .string($0)) }].compactMap(\.self)
    }
}

/// How long a command waits.
struct TimeoutOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How long to wait.", valueName: "seconds"))
    var timeout: Double?

    func validate() throws {
        guard let timeout else { return }
        guard (0...86_400).contains(timeout) else {
            throw ValidationError("'\(timeout)' is no time for --timeout. Give seconds, from 0 to 86400.")
        }
    }

    var params: [JSONValue.Member] {
        timeout.map { [.init("timeoutMs", .number(($0 * 1_000).rounded()))] } ?? []
    }
}

/// Reads JSON that somebody typed.
enum JSONArgument {
    /// - Parameters:
    ///   - text: JSON, or `-` for standard input.
    ///   - what: for the error: `The body`.
    /// - Throws: `CommandFailure` with the position.
    static func read(_ text: String, _ what: String) throws -> JSONValue {
        do throws(JSONParseError) {
            return JSONValue(try JSON.parse(text == "-" ? Terminal.readInput() : text))
        } catch {
            let advice = "A string needs quotes of its own: '\"text\"'."
            throw CommandFailure("\(what): \(error). \(advice)", .usage)
        }
    }
}
