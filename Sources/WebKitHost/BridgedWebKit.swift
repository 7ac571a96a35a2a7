import ArgumentParser
import BridgeBrowsers
import BridgeClient
import BridgeProtocol
import CWebKitGTK
import Foundation

/// A process with windows of WebKit itself, each of which stands for a web view of a daemon.
///
/// `bridged open --in webkit` starts it. It prints one line of JSON, when it is ready or cannot start.
@main struct BridgedWebKit: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bridged-webkit", abstract: "Opens pages in WebKit, driven by a daemon.",
        discussion: "The environment variable BRIDGED_TOKEN replaces the token in the daemon's discovery file.")

    @Argument(help: "The page to open; without it, the commands in standard input open windows.") var url: String?
    @Option(help: "The URL of the daemon; the running one if there is only one.") var daemon: String?
    @Option(help: "The daemon's name for the web view.") var webView = "main"
    @Option(help: "The user agent of the device to imitate.") var userAgent: String?
    @Option(help: "The size of the window in points.") var size = WindowSize(width: 390, height: 844)
    @Option(help: "The pixels in a point. (default: those of the screen)") var scale: Int?
    @Flag(help: "Show no window: use a virtual screen.") var headless = false
    @Flag(help: "Read commands from standard input, and end when it is closed.") var parentPipe = false

    func validate() throws {
        guard url != nil || parentPipe else { throw ValidationError("Name a page, or pass --parent-pipe.") }
    }

    func run() throws {
        try MainActor.assumeIsolated {
            let host = Host(
                options: WindowOptions(
                    width: size.width, height: size.height, isHeadless: headless, userAgent: userAgent))
            do {
                try host.prepare(isHeadless: headless, scale: scale)
                let daemon = try DaemonFinder(environment: ProcessInfo.processInfo.environment).find(url: daemon)
                guard let link = DaemonLink(daemon) else { throw BrowserError("\(daemon.url) is not an http URL.") }
                if parentPipe { host.readCommands() }
                if let url {
                    host.open(url, webView: webView, link: link, answer: ["ready": true])
                } else {
                    Host.printLine(["ready": true])
                }
            } catch {
                Host.printLine(["error": .string("\(error)")])
                host.end()
                throw ExitCode.failure
            }
            MainLoop.run()
            host.end()
            // Threads of WebKit still use what the destructors of its libraries would free.
            _exit(host.hasFailed ? EXIT_FAILURE : EXIT_SUCCESS)
        }
    }
}

/// A size in the form `390x844`.
struct WindowSize: ExpressibleByArgument {
    let width: Int
    let height: Int

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    init?(argument: String) {
        let parts = argument.split(separator: "x").map { Int($0) }
        guard parts.count == 2, let width = parts[0], let height = parts[1], (1...10_000).contains(width),
            (1...10_000).contains(height)
        else { return nil }
        self.init(width: width, height: height)
    }

    var defaultValueDescription: String { "\(width)x\(height)" }
}
