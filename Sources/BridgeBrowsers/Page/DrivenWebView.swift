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

    /// Opens a window for another web view of the app, with the empty document. The browser that shows this one sets it.
    package var openWindow: (@MainActor (DrivenWebView) async throws -> Void)?
    /// Whether the app has asked for the window. It belongs to the one that the user has opened, and ends with that.
    package private(set) var isOpenedByApp = false
    /// How many requests each fault was for.
    var faultUses: [String: Int] = [:]

    /// Asks the daemon for the web view's settings.
    package init(_ name: String, engine: BrowserEngine, link: DaemonLink) async throws {
        self.name = name
        self.engine = engine
        self.link = link
        settings = try await DrivenWebView.settings(of: name, link)
    }

    private static func settings(of webView: String, _ link: DaemonLink) async throws -> WebViewSettings {
        var components = URLComponents()
        components.scheme = "http"
        components.host = link.host
        components.port = link.port
        components.path = "/web-view"
        components.queryItems = [URLQueryItem(name: "name", value: webView)]
        guard let url = components.url else { throw BrowserError("\(link.host) is not a host.") }
        var request = HTTPRequest(url, maximumBodySize: 64 << 20)
        request.headers = ["Authorization: Bearer \(link.token)"]
        let answer = try await request.send()
        guard answer.status == 200, let json = try? JSON.parse(answer.body) else {
            throw BrowserError("The daemon at \(url) answered \(answer.status) and did not describe the web view.")
        }
        return WebViewSettings(json)
    }

    private init(popupOf opener: DrivenWebView) {
        name = "\(opener.name).popup"
        engine = opener.engine
        link = opener.link
        settings = opener.settings
        onProblem = opener.onProblem
        openWindow = opener.openWindow
    }

    /// Opens a window for another web view of the app: `webView.open`.
    func open(_ name: String) async throws(RPCError) -> JSONValue {
        guard !name.isEmpty, let openWindow else { throw .methodNotFound("webView.open") }
        do {
            let other = try await DrivenWebView(name, engine: engine, link: link)
            other.onProblem = onProblem
            other.isOpenedByApp = true
            try await openWindow(other)
            return ["value": .null]
        } catch {
            throw RPCError(.internalError, "\(error)")
        }
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
        return "\(browser) \(name)"
    }

    // MARK: Requests

    /// Facts about requests that came while no document was there to tell them.
    private var untold: [FinishedRequest] = []
    private static let untoldLimit = 1_000

    /// Tells the daemon how a request ended: on the connection of the page that made it, or else of the next document.
    package func tell(_ request: FinishedRequest, from page: DrivenPage?) {
        if let page, !page.hasLeft {
            page.notify("request.finished", request.writeMembers)
        } else if untold.count < DrivenWebView.untoldLimit {
            untold.append(request)
        }
    }

    func takeUntoldRequests() -> [FinishedRequest] {
        defer { untold = [] }
        return untold
    }

    package func report(_ problem: String) { onProblem(problem) }
}

/// An error of a driven browser, in one sentence for people.
package struct BrowserError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
