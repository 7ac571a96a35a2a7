import BridgeProcesses
package import BridgeProtocol
package import Foundation

/// The programs of the engines.
extension BrowserEngine {
    /// The program; nil if it is not installed.
    package var executable: URL? {
        switch self {
        case .webkit: Executables.find(["bridged-webkit"], in: BrowserEngine.ownFolders)
        case .chromium: Executables.find(["chromium", "chromium-browser", "google-chrome"])
        case .firefox: Executables.find(["firefox-esr", "firefox"])
        }
    }

    /// What a person can do if the engine is missing, as a sentence of its own.
    package var remedy: String {
        switch self {
        case .webkit:
            "Install the package bridged-webkit, or build it: apt-get install libwebkit2gtk-4.1-dev && make build"
        case .chromium: "Install it: \(Distribution.current.command(for: .chromium))"
        case .firefox: "Install it: \(Distribution.current.command(for: .firefox))"
        }
    }

    /// The oldest version that has all that bridged uses: the headless mode that is a whole browser
    /// (https://developer.chrome.com/docs/chromium/headless), and answers to dialogs by WebDriver BiDi
    /// (https://bugzil.la/1905086). Nil for WebKit, whose program is bridged's own.
    private var oldestVersion: Int? {
        switch self {
        case .webkit: nil
        case .chromium: 112
        case .firefox: 149
        }
    }

    /// Checks what a browser says about its version.
    /// - Parameter text: such as `HeadlessChrome/156.0.7000.1` or `153.7.0`.
    func check(version text: String?) throws(BrowserError) {
        guard let oldestVersion, let number = text?.firstMatch(of: /\d+/).flatMap({ Int($0.0) }), number < oldestVersion
        else { return }
        throw BrowserError("Version \(number) is too old; bridged needs \(oldestVersion) or later. \(remedy).")
    }

    /// The folders in which the program of WebKit may be: beside this one, or in PATH.
    private static var ownFolders: [String] {
        let own = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent().path
        let tests = Bundle.main.bundleURL.deletingLastPathComponent().path
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"
        return [own, tests].compactMap(\.self) + path.split(separator: ":").map(String.init)
    }

    /// Whether a window can be shown: on macOS always.
    package static func hasDisplay(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> Bool {
        #if os(Linux)
            ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
        #else
            true
        #endif
    }

    /// The first engine that is installed.
    package static func firstInstalled() throws(BrowserError) -> BrowserEngine {
        guard let engine = allCases.first(where: { $0.executable != nil }) else {
            throw BrowserError(
                "No browser is installed. Install one: \(Distribution.current.command(for: .chromium))")
        }
        return engine
    }

    /// Starts a browser.
    /// - Throws: `BrowserError` if it is not installed, does not start, or hangs.
    @MainActor package func launch(_ options: LaunchOptions) async throws -> any DrivenBrowser {
        guard let executable else { throw BrowserError("\(self) is not installed. \(remedy)") }
        let browser: any DrivenBrowser =
            switch self {
            case .chromium: try ChromiumBrowser(executable, options)
            case .firefox: try FirefoxBrowser(executable, options)
            case .webkit: try WebKitBrowser(executable, options)
            }
        do {
            try await browser.start()
        } catch {
            browser.close()
            let advice =
                options.isHeadless || BrowserEngine.hasDisplay()
                ? "To see why, run: \(executable.path)" : "This machine has no display: add --headless."
            throw BrowserError("\(self) did not start. \(error) \(advice)")
        }
        return browser
    }
}
