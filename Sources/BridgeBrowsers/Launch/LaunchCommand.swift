package import BridgeProtocol
package import Foundation

/// The arguments and the environment with which a browser starts, in one place for each browser. One that bridged drives
/// differs from one that only shows pages with the script tag (`BridgeTesting.Browser`) in what its driver needs.
package struct LaunchCommand {
    package var arguments: [String]
    package var environment: [String: String] = [:]

    package static func chromium(_ options: LaunchOptions, profile: URL, isDriven: Bool = false) -> LaunchCommand {
        // Chromium's sandbox refuses to run as root, the user of most containers. The pages are the user's own.
        var arguments = getuid() == 0 ? ["--no-sandbox"] : []
        if options.isHeadless { arguments += ["--headless=new", "--disable-gpu"] }
        arguments += [
            "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--password-store=basic", "--disable-dev-shm-usage",
            // Windows behind another one go on as a phone's web view in front does.
            "--disable-background-timer-throttling", "--disable-renderer-backgrounding",
            "--disable-backgrounding-occluded-windows", "--disable-popup-blocking",
            "--user-data-dir=\(profile.path)",
            "--host-resolver-rules=" + options.localNames.map { "MAP \($0) 127.0.0.1" }.joined(separator: ","),
        ]
        // Two pages below the address bar have a process of their own in each window: two thirds of what a window costs
        // (docs/notes/performance-browser.md#a-flow).
        var withoutFeatures = ["WebUIOmniboxPopup", "WebUIOmniboxAimPopup"]
        if let userAgent = options.userAgent { arguments.append("--user-agent=\(userAgent)") }
        if let device = options.device, !options.isHeadless {
            // The second part is the height of Chromium's own bars.
            arguments.append("--window-size=\(device.width),\(device.height + 90)")
        }
        if isDriven {
            // An invisible window has a camera that shows a test picture.
            if options.isHeadless { arguments.append("--use-fake-device-for-media-stream") }
            arguments += [
                "--remote-debugging-pipe", "--no-default-browser-check", "--disable-site-isolation-trials",
            ]
            // With the first two features Chromium no longer tells its driver what a document does while it is left: if the
            // next one is of the same site, or of another. With the next two it moves frames to other processes. With
            // BackForwardCacheMemoryControls a machine with little memory has no cache. LocalNetworkAccessChecks refuses frames
            // of another server on this machine, because nobody is there to allow them.
            withoutFeatures += [
                "RenderDocument", "DefaultSiteInstanceGroups", "IsolateOrigins", "site-per-process",
                "BackForwardCacheMemoryControls", "Translate", "MediaRouter",
                "LocalNetworkAccessChecks",
            ]
        }
        // Chromium takes the last list only.
        arguments.append("--disable-features=" + withoutFeatures.joined(separator: ","))
        return LaunchCommand(arguments: arguments + options.arguments)
    }

    /// Prepares the profile as well.
    package static func firefox(
        _ options: LaunchOptions, profile: URL, isDriven: Bool = false
    ) throws -> LaunchCommand {
        try FirefoxPreferences(options, isDriven: isDriven).write(to: profile)
        FirefoxStartupCache().restore(to: profile)
        var own = (options.isHeadless ? ["--headless"] : []) + ["--no-remote", "--profile", profile.path]
        if isDriven { own.append("--remote-debugging-port=0") }
        // Clearing what pages have left needs Firefox's own rights.
        if options.isRenewable { own.append("--remote-allow-system-access") }
        return LaunchCommand(
            arguments: own + options.arguments,
            environment: ["MOZ_CRASHREPORTER_DISABLE": "1"])
    }

    /// WebKitGTK's MiniBrowser, which needs a screen.
    package static func miniBrowser(
        _ options: LaunchOptions, profile: URL, on screen: VirtualScreen?
    ) -> LaunchCommand {
        let userAgent = options.userAgent.map { ["--user-agent=\(UserAgentText.forWebKitGTK($0))"] } ?? []
        return LaunchCommand(
            arguments: ["--private", "--javascript-can-open-windows-automatically=true"] + userAgent
                + options.arguments,
            environment: webKitFolders(profile).merging(screen?.environment ?? [:]) { $1 })
    }

    /// Without these variables, WebKitGTK writes into the user's own folders, and reads the user's settings.
    package static func webKitFolders(_ folder: URL) -> [String: String] {
        ["XDG_DATA_HOME": folder.path, "XDG_CACHE_HOME": folder.path, "XDG_CONFIG_HOME": folder.path]
    }
}

extension UserAgentText {
    /// The user agent as WebKitGTK takes it: without semicolons and brackets outside a comment (RFC 9110, section
    /// 10.1.5).
    package static func forWebKitGTK(_ userAgent: String) -> String {
        userAgent.replacing(/Hotwire Native.*/) { "(\($0.output))" }
    }
}

extension BrowserEngine {
    /// Gets the profile of a browser that was closed, and keeps what later ones need of it; nil for nothing.
    package var keepProfile: (@Sendable (URL) -> Void)? {
        guard self == .firefox else { return nil }
        return FirefoxStartupCache().keep(from:)
    }
}
