import ArgumentParser
import BridgeBrowsers
import BridgeClient
import BridgeProtocol
import BridgeTesting
import BridgeTraffic
import Foundation

/// A command for people and programs. With `--json`, its failures are JSON too.
protocol JSONCommand: ParsableCommand {
    var json: Bool { get }
}

/// A command that asks a running daemon to do something.
protocol ClientCommand: JSONCommand {
    var options: ClientOptions { get }
    func run(_ daemon: DaemonClient) throws
}

extension ClientCommand {
    /// Makes a configuration whose help ends with the exit codes.
    static func clientConfiguration(_ name: String, _ abstract: String, _ help: String) -> CommandConfiguration {
        let exitCodes = """
            Exit codes: 0 success, 1 the page or handler answered with an error, 2 time-out, 3 no such page, handler or \
            stub, 64 a mistake in the arguments, 69 no daemon can be reached, 77 wrong token.
            """
        return CommandConfiguration(commandName: name, abstract: abstract, discussion: "\(help)\n\n\(exitCodes)")
    }

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

extension ClientCommand {
    /// Prints the script value in the daemon's result. With `--json` it prints the whole result. Otherwise it prints
    /// the value as JSON, or as JavaScript if JSON cannot express it, such as `undefined`.
    func printScriptValue(_ result: JSON) {
        guard !json, let value = try? ScriptValue(params: result, key: "value") else {
            return Terminal.print(result)
        }
        guard value.types != nil else { return Terminal.print(value.json) }
        var writer = JSONWriter()
        value.writeJavaScript(to: &writer)
        Terminal.print(writer.text)
    }
}

enum LocalTraffic {
    /// Excludes this machine from the proxy settings, because a proxy must not see a daemon's token. libcurl, which
    /// Foundation uses, reads the variable `no_proxy`.
    static func bypassProxy() {
        let others = ProcessInfo.processInfo.environment["no_proxy", default: ""]
        setenv("no_proxy", "localhost,127.0.0.1,::1,\(others)", 1)
    }
}

/// The options of every command that talks to a daemon.
struct ClientOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The daemon's address. (default: BRIDGED_URL, or the only daemon that runs)", valueName: "url"))
    var url: String?

    @Flag(help: "Print one JSON object a line.")
    var json = false
}

/// The page that a command is about.
struct PageOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The page with this id, such as p3; see bridged pages.", valueName: "id"))
    var page: String?

    @Option(help: ArgumentHelp("The web view with this name, such as main.", valueName: "name"))
    var webView: String?

    func validate() throws {
        if page != nil, webView != nil { throw ValidationError("Give --page or --web-view, not both.") }
    }

    var params: [JSONValue.Member] { .texts(["page": page, "webView": webView]) }
}

/// The content world in which a script runs.
struct WorldOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The content world, in a browser that bridged open drives.", valueName: "name"))
    var world: String?

    var params: [JSONValue.Member] { .texts(["world": world]) }
}

/// How long a command waits.
struct TimeoutOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How long to wait.", valueName: "seconds"))
    var timeout: Double?

    func validate() throws {
        guard let timeout, !(0...86_400).contains(timeout) else { return }
        throw ValidationError("'\(timeout)' is not valid for --timeout. Give a number of seconds from 0 to 86400.")
    }

    var params: [JSONValue.Member] {
        timeout.map { [.init("timeoutMs", .number(($0 * 1_000).rounded()))] } ?? []
    }
}

/// The browser that a command starts and drives.
struct EngineOptions: ParsableArguments {
    @Option(
        name: .customLong("in"),
        help: ArgumentHelp(
            "webkit, chromium or firefox. (default: the first of these that is installed)", valueName: "engine"))
    var engine: BrowserEngine?

    /// The engine that was named, or the first one that is installed.
    func found() throws -> BrowserEngine { try engine ?? .firstInstalled() }
}

/// The phone that a browser imitates which a command starts and drives.
struct DeviceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The phone or tablet to imitate, or none for a desktop browser. (default: iPhone 16, or Pixel 9 for Android)",
            valueName: "name"))
    var device: TestDevice?

    var choice: TestDevice { device ?? .usual }
}

extension BrowserEngine {
    /// Starts the browser with a window, and prints what goes wrong in it.
    @MainActor func open(
        _ url: String?, as webView: String = "main", at link: DaemonLink, _ options: LaunchOptions,
        onEnd: @escaping @MainActor (String) -> Void
    ) async throws -> any DrivenBrowser {
        let browser = try await launch(options)
        browser.onEnd = onEnd
        do {
            let webView = try await DrivenWebView(webView, engine: self, link: link)
            webView.onProblem = { Terminal.printError("bridged: \(TerminalText.escape($0))") }
            webView.onLoadFailure = { url, reason in
                Task {
                    let text = await PageServer.ask(for: url).silence ?? "\(url) did not load: \(reason)"
                    Terminal.printError("bridged: \(TerminalText.escape(text)).")
                }
            }
            try await browser.open(url, in: webView)
            return browser
        } catch {
            browser.close()
            throw error
        }
    }
}

extension [JSONValue.Member] {
    /// Makes members whose values are strings. It leaves out those whose value is nil.
    static func texts(_ texts: KeyValuePairs<String, String?>) -> Self {
        texts.compactMap { key, text in text.map { .init(key, .string($0)) } }
    }
}

enum JSONArgument {
    /// Reads JSON from the command line.
    ///
    /// - Parameters:
    ///   - text: JSON, or `-` for standard input.
    ///   - subject: the beginning of the error message, such as `The body`.
    /// - Throws: `CommandFailure` with the position of the mistake.
    static func read(_ text: String, _ subject: String) throws -> JSONValue {
        let text = text == "-" ? try Terminal.readText() : text
        do throws(JSONParseError) {
            return JSONValue(try JSON.parse(text))
        } catch {
            throw CommandFailure("\(subject): \(error). A string needs its own quotes: '\"text\"'.", .usage)
        }
    }
}
