import BridgeBrowsers
import BridgeProcesses
import BridgeProtocol
import Foundation

/// The user's own browser, as the system starts it.
enum UserBrowser {
    #if os(macOS)
        static let program = "open"
    #else
        static let program = "xdg-open"
    #endif

    /// Whether a browser has a screen to show something on, or the user has named one that needs none, in `BROWSER`.
    static func hasScreen(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> Bool {
        BrowserEngine.hasDisplay(environment) || environment["BROWSER"]?.isEmpty == false
    }

    /// Starts a program that shows an address. Its exit status is 0 if it has found a browser, which goes on by itself.
    static func show(_ url: String) throws -> ChildProcess {
        try ChildProcess(URL(fileURLWithPath: "/usr/bin/env"), [program, url], endsWithThisProcess: false)
    }
}
