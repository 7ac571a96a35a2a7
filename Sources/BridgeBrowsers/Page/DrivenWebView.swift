import BridgeInput
package import BridgeProtocol
import Foundation

/// A window of a driven browser that stands for a web view. Its documents, one after the other, are `DrivenPage`s.
@MainActor package final class DrivenWebView {
    /// The web view's name at the daemon, such as `main`.
    package let name: String
    package let engine: BrowserEngine
    package let link: DaemonLink
    package internal(set) var settings: WebViewSettings
    /// Called with a sentence for people about something that went wrong.
    package var onProblem: @MainActor (String) -> Void = { _ in }

    /// Called if a load has failed and no page is there that could tell the daemon so; nil reports it as a problem.
    package var onLoadFailure: (@MainActor (_ url: String, _ reason: String) -> Void)?

    /// Opens a window for another web view of the app, with the empty document. The browser that shows this one sets it.
    package var openWindow: (@MainActor (DrivenWebView) async throws -> Void)?
    /// Closes this window. The browser that shows it sets it.
    package var closeWindow: (@MainActor () -> Void)?
    /// Whether the app has asked for the window. It belongs to the one that the user has opened, and ends with that.
    package private(set) var isOpenedByApp = false
    package let limits: DriverLimits
    /// Shared with the windows that its pages open.
    let memory: DriverMemory
    private var reports = ReportCounter()
    /// How many requests each fault was for.
    var faultUses: [String: Int] = [:]

    /// Asks the daemon for the web view's settings.
    /// - Throws: `BrowserError` if the browser cannot stand for the web view of that app.
    package init(
        _ name: String, engine: BrowserEngine, link: DaemonLink, limits: DriverLimits = DriverLimits()
    ) async throws {
        self.name = name
        self.engine = engine
        self.link = link
        self.limits = limits
        memory = DriverMemory(limits)
        settings = try await DrivenWebView.settings(of: name, link)
        // Without it Android's adapter would not start, and the page would seem to lack one.
        guard engine == .webkit, settings.interfaces.contains(where: { $0.name == "TurboSession" }) else { return }
        throw BrowserError(
            """
            Driven WebKit has no interface objects (addJavascriptInterface), so no app for Android runs in it. Use \
            Chromium or Firefox.
            """)
    }

    private static func settings(of webView: String, _ link: DaemonLink) async throws -> WebViewSettings {
        WebViewSettings(try await ask(link, "/web-view", [("name", webView)]))
    }

    /// Asks the daemon by HTTP.
    private static func ask(
        _ link: DaemonLink, _ path: String, _ query: [(String, String)]
    ) async throws -> JSON {
        guard let url = link.url(path, query) else { throw BrowserError("\(link.host) is not a host.") }
        var request = HTTPRequest(url, maximumBodySize: 64 << 20)
        // The daemon may be busy with other windows.
        request.timeout = BrowserCommands.limit
        request.headers = ["Authorization: Bearer \(link.token)"]
        let answer = try await request.send()
        guard answer.status == 200, let json = try? JSON.parse(answer.body) else {
            throw BrowserError("The daemon at \(url) answered \(answer.status) and did not describe the web view.")
        }
        return json
    }

    /// Asks the daemon for the user name and the password for the first document of a window, which has no page yet.
    /// - Parameter decided: gets nil if there are none, or if the server has refused them.
    package func askForCredentials(
        _ challenge: AuthenticationChallenge, failed: Bool,
        decided: @escaping @MainActor ((user: String, password: String)?) -> Void
    ) {
        guard !failed else {
            report("The server has refused the user name and the password that it got: \(challenge)")
            return decided(nil)
        }
        Task {
            do {
                let answer = try await DrivenWebView.ask(
                    link, "/web-view/credentials",
                    [
                        ("name", name), ("host", challenge.host), ("port", challenge.port.map(String.init) ?? ""),
                        ("scheme", challenge.scheme), ("realm", challenge.realm),
                    ])
                guard let user = answer["user"]?.string, let password = answer["password"]?.string else {
                    return decided(nil)
                }
                decided((user, password))
            } catch {
                report("A server's question for a password was not answered: \(challenge) (\(error))")
                decided(nil)
            }
        }
    }

    private init(popupOf opener: DrivenWebView) {
        name = "\(opener.name).popup"
        engine = opener.engine
        link = opener.link
        settings = opener.settings
        limits = opener.limits
        memory = opener.memory
        onProblem = opener.onProblem
        openWindow = opener.openWindow
    }

    /// Opens a window for another web view of the app: `webView.open`.
    func open(_ name: String) async throws(RPCError) -> CommandValue {
        guard !name.isEmpty, let openWindow else { throw .methodNotFound("webView.open") }
        do {
            let other = try await other(name)
            other.isOpenedByApp = true
            try await openWindow(other)
            return JSONValue.null
        } catch {
            throw RPCError(.internalError, "\(error)")
        }
    }

    /// Closes this window, because the app has released its web view: `webView.close`. The browser ends with the window that
    /// the user has opened, so that one stays.
    func close() throws(RPCError) -> CommandValue {
        guard isOpenedByApp, let closeWindow else {
            throw RPCError(.invalidParams, "The app has not opened the window of \(name), and cannot close it.")
        }
        closeWindow()
        return JSONValue.null
    }

    /// Another web view of the app, for a window of the same browser.
    package func other(_ name: String) async throws -> DrivenWebView {
        let other = try await DrivenWebView(name, engine: engine, link: link, limits: limits)
        other.onProblem = onProblem
        return other
    }

    /// Makes the web view of a window that a page of this one opens. It has the same handlers. A popup's own popups share
    /// its web view.
    package func makePopup() -> DrivenWebView { isPopup ? self : DrivenWebView(popupOf: self) }

    var isPopup: Bool { name.hasSuffix(".popup") }

    /// The user agent that the web view sends and shows.
    /// - Parameter browser: that of the browser or device.
    package func userAgent(of browser: String) -> String? {
        if let own = settings.userAgent { return own }
        guard let name = settings.applicationName, !name.isEmpty else { return browser }
        return UserAgentText.of(browser, with: name)
    }

    // MARK: Requests

    /// Facts about requests that came while no document was there to tell them.
    private var untold: [FinishedRequest] = []

    /// Tells the daemon how a request ended: on the connection of the page that made it, or else of the next document.
    /// Those of `bridged doctor` are not told.
    package func tell(_ request: FinishedRequest, from page: DrivenPage?) {
        guard !request.url.hasSuffix(FinishedRequest.doctorFragment) else { return }
        if let page, !page.hasLeft {
            page.notify(DriverMessage.finished(request))
        } else if untold.count < limits.notifications {
            untold.append(request)
        } else if untold.count == limits.notifications {
            report("Requests are not recorded, because there is no page to tell them.")
            untold.append(request)
        }
    }

    func takeUntoldRequests() -> [FinishedRequest] {
        defer { untold = [] }
        return untold
    }

    /// Tells why a load has failed that no page can tell.
    func loadFailed(_ url: String, _ reason: String) {
        if let onLoadFailure { onLoadFailure(url, reason) } else { report("\(url) did not load: \(reason)") }
    }

    /// Reports something that went wrong to people. A page may cause the same again and again.
    package func report(_ problem: String) {
        guard let text = reports.admit(problem, at: .now) else { return }
        onProblem(text)
    }
}

/// Counts reports, and leaves out those that come too fast.
struct ReportCounter {
    private static let limit = 20
    private static let window = Duration.seconds(30)
    private var begin: ContinuousClock.Instant?
    private var count = 0

    /// - Returns: what to report; nil for nothing. The last report of a window says so, and the first one of the next
    ///   how many were left out.
    mutating func admit(_ text: String, at time: ContinuousClock.Instant) -> String? {
        guard let begin, time < begin + ReportCounter.window else {
            let leftOut = max(0, count - ReportCounter.limit)
            (begin, count) = (time, 1)
            return leftOut == 0 ? text : "\(text) (\(leftOut) earlier reports were left out.)"
        }
        count += 1
        guard count <= ReportCounter.limit else { return nil }
        return count == ReportCounter.limit ? "\(text) (Further reports are left out for a while.)" : text
    }
}

/// An error of a driven browser, in one sentence for people.
package struct BrowserError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
