import BridgeBrowsers
import BridgeProtocol
import CWebKitGTK
import Foundation

/// The windows of the process, and what they need: a screen, a folder, and a loop that ends.
@MainActor final class Host {
    private(set) var hasFailed = false
    private let options: WindowOptions
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bridged-\(UUID().uuidString)")
    private var windows: [HostedWebView] = []
    /// One for all windows, as tabs of a browser share their cookies. It exists when GTK has started.
    private lazy var context = WebContext(screen: options)
    private var sources: [any DispatchSourceProtocol] = []
    private var commands: HostCommands?
    private var screen: VirtualScreen?

    init(options: WindowOptions) { self.options = options }

    /// Starts GTK.
    func prepare(isHeadless: Bool, scale: Int?) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        watchForTheEnd()
        if isHeadless { try useVirtualScreen() }
        if let scale { setenv("GDK_SCALE", "\(scale)", 1) }
        for (name, value) in LaunchCommand.webKitFolders(folder) { setenv(name, value, 1) }
        // Without it, GTK starts a process for screen readers.
        setenv("NO_AT_BRIDGE", "1", 1)
        guard gtk_init_check(nil, nil) != 0 else {
            throw BrowserError("GTK cannot open the display. Pass --headless, or set DISPLAY.")
        }
        preferColors()
    }

    /// A device is light until someone changes that, whatever the desktop prefers.
    private func preferColors() {
        if options.userAgent != nil { bridged_prefer_dark(0) }
    }

    private func useVirtualScreen() throws {
        guard VirtualScreen.executable != nil else {
            throw BrowserError("--headless needs a virtual screen. Install it: apt-get install xvfb")
        }
        let screen = try VirtualScreen()
        self.screen = screen
        for (name, value) in screen.environment { setenv(name, value, 1) }
    }

    /// - Parameter answer: the line to print when the window is open; nil for `opened` and its name.
    func open(_ url: String?, webView: String, link: DaemonLink, answer: JSONValue? = nil) {
        let asked = context
        Task {
            do {
                let webView = try await DrivenWebView(webView, engine: .webkit, link: link)
                // The window would be one of the next flow, whose daemon is another.
                guard asked === context else { return }
                let isCommanded = commands != nil
                webView.onProblem = {
                    if isCommanded { Host.printLine(["problem": .string($0)]) } else { Host.printError($0) }
                }
                let window = show(webView)
                if let url { window.load(url) } else { window.showEmptyDocument() }
                Host.printLine(answer ?? ["opened": .string(webView.name)])
            } catch {
                guard asked === context else { return }
                Host.printLine(["error": .string("\(error)")])
                if commands != nil { return }
                hasFailed = true
                MainLoop.stop()
            }
        }
    }

    private func show(_ webView: DrivenWebView) -> HostedWebView {
        let window = HostedWebView(webView, options: context.screen, in: context)
        context.onResize = { [weak self] in self?.resize($0) }
        window.onClose = { [weak self, weak window] in self?.closed(window) }
        webView.openWindow = { [weak self] in self?.show($0).showEmptyDocument() }
        webView.closeWindow = { [weak window] in window?.close() }
        windows.append(window)
        window.show()
        return window
    }

    private func resize(_ screen: WindowOptions) {
        for window in windows { window.resize(to: screen) }
    }

    /// Opens and closes windows as the parent asks. Its commands are lines of JSON: `{"open": URL, "webView": NAME, "host": HOST,
    /// "port": PORT, "token": TOKEN}`, where URL may be null, and the rest names the daemon; `{"close": NAME}`; and
    /// `{"renew": true}`. The answers are `{"opened": NAME}`, `{"closed": NAME}`, `{"renewed": true}`, `{"problem": TEXT}` and
    /// `{"error": TEXT}`. The process ends with its standard input.
    func readCommands() {
        commands = HostCommands { [weak self] json in
            guard let self else { return }
            if let url = json["open"], let name = json["webView"]?.string, let host = json["host"]?.string,
                let port = json["port"]?.wholeNumber, let token = json["token"]?.string
            {
                open(url.string, webView: name, link: DaemonLink(host: host, port: port, token: token))
            } else if let name = json["close"]?.string {
                for window in windows where window.webView.name == name { window.close() }
            } else if json["renew"] != nil {
                renew()
            }
        }
    }

    /// Closes all windows, and forgets what they have left: WebKit keeps it in the context.
    private func renew() {
        for window in windows {
            window.onClose = {}
            window.close()
        }
        windows = []
        context = WebContext(screen: options)
        bridged_reset_display()
        preferColors()
        Host.printLine(["renewed": true])
    }

    /// Without commands, the process ends with its last window.
    private func closed(_ window: HostedWebView?) {
        guard let window else { return }
        windows.removeAll { $0 === window }
        guard !window.webView.isOpenedByApp else { return }
        if commands == nil { MainLoop.stop() } else { Host.printLine(["closed": .string(window.webView.name)]) }
    }

    /// Deletes what the process has made.
    func end() {
        for window in windows { window.leave() }
        screen?.close()
        try? FileManager.default.removeItem(at: folder)
    }

    private func watchForTheEnd() {
        for number in [SIGTERM, SIGINT, SIGHUP] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
            source.setEventHandler { MainActor.assumeIsolated { MainLoop.stop() } }
            source.activate()
            sources.append(source)
        }
    }

    static func printLine(_ line: JSONValue) {
        print(line.text)
        fflush(nil)
    }

    static func printError(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}
