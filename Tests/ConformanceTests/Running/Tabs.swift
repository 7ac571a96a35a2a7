import BridgeServer
import BridgeTesting
import BridgeWebKit

/// A browser in which cases run. On the main actor.
@MainActor protocol CaseBrowser: AnyObject {
    func makeWindow() -> any CaseWindow

    /// Evaluates script in a page that no case uses.
    func evaluate(_ script: String, completion: @escaping (NativeResult) -> Void)

    /// Called if the browser ends by itself, with the reason.
    var onEnd: (@MainActor (String) -> Void)? { get set }

    func closeBrowser()
}

/// A browser with a driver page that opens windows for cases. On the main actor.
@MainActor final class Tabs: CaseBrowser {
    private let browser: Browser
    private let site: Site
    private let driver: NativeSide
    private let port: UInt16
    private let server: BridgeServer

    /// The browser started, but its page never attached.
    struct NeverAttached: Error {
        let engine: Browser.Engine
    }

    /// - Throws: `Browser.Missing`, `NeverAttached`, or an error of the system.
    init(_ engine: Browser.Engine, server: BridgeServer, address: BridgeServer.Address) async throws {
        let html = "<!doctype html><title>The conformance test's driver</title>"
        site = try Site(
            files: ["/": SiteFile(body: html, type: "text/html")],
            admission: Admission(port: address.port, webView: "driver"))
        port = address.port
        self.server = server
        driver = NativeSide(server: server, name: "driver")
        let loaded = Later<Void>()
        driver.onEvent = { event in if case .loadFinished = event { loaded.set(()) } }
        browser = try Browser(engine, opening: site.origin + "/")
        guard await loaded.wait(upTo: .seconds(60)) != nil else { throw NeverAttached(engine: engine) }
    }

    var onEnd: (@MainActor (String) -> Void)?

    func makeWindow() -> any CaseWindow { AttachedWindow(tabs: self, server: server) }

    /// Opens a window that has loaded nothing, and adds the daemon's script to its empty document.
    func openEmpty(webView: String) {
        let script = Admission(port: port, webView: webView).script + "&user-scripts=none"
        let program = """
            (function () {
                const { document } = open("about:blank", "_blank", "popup,width=400,height=300")
                const script = document.createElement("script")
                script.src = \(Tag.quote(script))
                document.head.append(script)
                return 0
            })()
            """
        evaluate(program) { _ in }
    }

    /// Opens a URL in a new window, which is visible beside others and has no opener.
    func open(_ url: String) {
        evaluate("open(\(Tag.quote(url)), '_blank', 'noopener,popup,width=400,height=300'); 0") { _ in }
    }

    /// Evaluates script in the driver's page, which no case uses.
    func evaluate(_ script: String, completion: @escaping (NativeResult) -> Void) {
        driver.evaluate(script, sourceURL: nil, world: nil, completion: completion)
    }

    func closeBrowser() { browser.close() }
}
