import BridgeBrowsers
import BridgeProtocol

/// Browsers that flows use one after the other. Each flow gets one that has forgotten all that earlier flows have left.
@MainActor package final class BrowserShelf {
    /// A browser, and what it takes until it has forgotten the flow before.
    private struct Kept {
        let browser: any DrivenBrowser
        let device: Device?
        /// Whether it has.
        let renewal: Task<Bool, Never>
    }

    private var kept: [Kept] = []

    package init() {}

    /// - Parameter device: what the browser imitates.
    /// - Returns: a browser without a window, which is like a new one.
    func take(_ engine: BrowserEngine, _ device: Device?) async throws -> any DrivenBrowser {
        while let place = kept.firstIndex(where: { $0.browser.engine == engine && $0.device == device }) {
            let next = kept.remove(at: place)
            if await next.renewal.value, !next.browser.isClosed { return next.browser }
        }
        var options = LaunchOptions()
        (options.device, options.isRenewable) = (device, true)
        return try await engine.launch(options)
    }

    /// Keeps a browser that a flow has used, for a later flow.
    func putBack(_ browser: any DrivenBrowser, _ device: Device?) {
        guard !browser.isClosed else { return }
        let renewal = Task {
            do { try await browser.renew() } catch {
                browser.close()
                return false
            }
            return true
        }
        kept.append(Kept(browser: browser, device: device, renewal: renewal))
    }

    /// Ends the browsers that no flow uses.
    package func close() {
        for browser in kept { browser.browser.close() }
        kept = []
    }
}
