import BridgeBrowsers
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

    /// Makes a process, which has not started, that shows an address. Its exit status is 0 if a browser was found.
    static func process(showing url: String) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program, url]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        return process
    }
}
