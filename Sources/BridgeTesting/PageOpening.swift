import BridgeInput
import BridgeProtocol
import BridgeTraffic
import Foundation

/// A page that was asked for: whether it has come, and why it does not come.
struct PageOpening {
    enum Progress {
        case goesOn
        case attached
        case failed(Reason)
        /// The browser has given up its load. Another one may take its place.
        case aborted
    }

    enum Reason {
        /// The page has not asked for `bridge.js`.
        case scriptMissing(String)
        case policy(String)
        /// The load has failed, as the browser says.
        case notLoaded(String)
    }

    /// The URL as a page knows it.
    let url: String
    /// The daemon's.
    let port: UInt16
    let isDriven: Bool
    /// The document whose request has failed last: that of a redirect, for example.
    private var failed: String?

    init(url: String, port: UInt16, isDriven: Bool) { (self.url, self.port, self.isDriven) = (url, port, isDriven) }

    static let filter = TrafficFilter([.init(.kind, "page", "problem", "request", "app")])

    mutating func take(_ record: TrafficRecord) -> Progress {
        switch record.event {
        // A browser shows the empty document in place of a first page that does not load.
        case .page(.attached)
        where record.webView == "main" && (record.url != "about:blank" || url.hasPrefix("about:")):
            return .attached
        case .request(let request, _) where record.webView == "main" && request.type == "document":
            guard let failure = request.failure, request.url == url || record.url == "about:blank" else {
                return .goesOn
            }
            failed = request.url
            return PageOpening.isAborted(failure) ? .aborted : .failed(.notLoaded(failure))
        case .problem(let code, let text, let hint, _, _):
            // The failure's text goes on behind this.
            let sentences = text.prefix(1).lowercased() + text.dropFirst() + ". " + (hint ?? "").dropLast()
            if code == "scriptMissing" { return .failed(.scriptMissing(sentences)) }
            if code == "pageLost", record.webView ?? "main" == "main" { return .failed(.notLoaded(text.withoutStop)) }
            // A page in a frame may have such a policy, too.
            guard code == "policy", text.contains("forbids the connection"), text.contains(" \(url) ") else {
                return .goesOn
            }
            return .failed(.policy(sentences))
        default: return .goesOn
        }
    }

    /// Whether a request ended because another load takes its place, in the words of Chromium and Firefox, or of WebKitGTK,
    /// which may also cancel a load with its own question for a password.
    private static func isAborted(_ failure: String) -> Bool {
        failure.contains("ABORT") || failure.contains("cancelled")
    }

    /// Says why a page does not come, as the end of a sentence.
    func cause(of reason: Reason) async -> String {
        switch reason {
        case .policy(let text): return text
        case .scriptMissing(let text): return await PageServer.ask(for: url).cause(port) ?? text
        case .notLoaded(let text):
            let server = await PageServer.ask(for: failed ?? url)
            return server.silence ?? (PageOpening.isAborted(text) ? server.answer : nil) ?? text
        }
    }

    /// Asks the page's server in the last moments before a deadline, so that the reason is known when it is over.
    /// - Parameter timeout: the whole time, which may be short.
    func askServer(before deadline: ContinuousClock.Instant, of timeout: Duration) -> Task<PageServer, Never> {
        Task { [url] in
            let patience = min(.seconds(1), timeout / 3)
            guard (try? await Task.sleep(until: deadline - patience, clock: .continuous)) != nil else {
                return .unknown
            }
            return await PageServer.ask(for: url, within: patience)
        }
    }

    /// Says why no page came in time, as the end of a sentence.
    /// - Parameter server: what the page's server says.
    func whyNone(after timeout: Duration, _ server: PageServer) -> String {
        if case .silent(let origin) = server {
            return "\(origin) accepted the connection and has not answered for \(timeout.seconds) s"
        }
        return server.silence ?? (isDriven ? nil : server.cause(port)) ?? server.answer ?? "none came"
    }
}

/// What the server of a page that does not come says to a request of our own.
package enum PageServer: Equatable {
    /// It has no address that can be asked: a file, for example.
    case unknown
    case unreachable(String, error: String)
    /// It has accepted the connection, and has not answered.
    case silent(String)
    case answered(status: Int, html: String)
    /// It redirects again and again.
    case redirecting(String)

    /// Loads a page as a browser would.
    package static func ask(for url: String, within timeout: Duration = .seconds(3)) async -> PageServer {
        guard let page = URL(string: url), page.scheme == "http" else { return .unknown }
        var request = HTTPRequest(page, maximumBodySize: 1 << 20)
        request.timeout = timeout
        do throws(HTTPRequestError) {
            let answer = try await request.send()
            return .answered(status: answer.status, html: String(decoding: answer.body, as: UTF8.self))
        } catch .timedOut {
            return .silent(page.originText)
        } catch .tooManyRedirects {
            return .redirecting(page.originText)
        } catch {
            return .unreachable(page.originText, error: "\(error)")
        }
    }

    /// Waits until a server that is starting answers.
    /// - Parameter timeout: how long to wait. The caller finds out why there is no answer then.
    static func answers(at url: String, within timeout: Duration) async throws {
        let end = ContinuousClock.now + timeout
        while ContinuousClock.now < end {
            switch await ask(for: url) {
            case .unreachable, .silent: try await Task.sleep(for: .milliseconds(200))
            case .unknown, .answered, .redirecting: return
            }
        }
    }

    /// A sentence, if the server does not answer with a page.
    package var silence: String? {
        switch self {
        case .unreachable(let origin, let error): "no server answers at \(origin): \(error). Start the app's server"
        case .silent(let origin):
            "\(origin) accepted the connection and has not answered. Look what keeps the app's server from it"
        case .redirecting(let origin):
            "\(origin): \(HTTPRequestError.tooManyRedirects). Look for two pages that redirect to each other, such as a "
                + "sign-in without the cookie of its session"
        case .unknown, .answered: nil
        }
    }

    /// Says why a browser does not ask for `bridge.js`; nil if the server answers, and the page has no script tag with
    /// another port.
    /// - Parameter port: the daemon's.
    func cause(_ port: UInt16) -> String? {
        guard case .answered(_, let html) = self else { return silence }
        guard let tag = html.firstMatch(of: /:(\d+)\/bridge\.js/)?.1, tag != "\(port)" else { return nil }
        return "its script tag names port \(tag), and this daemon has port \(port). Give the daemon that port: "
            + setting("port", "port", String(tag))
    }

    /// A clause with what the server says, for a page that does not come nevertheless.
    fileprivate var answer: String? {
        guard case .answered(let status, _) = self else { return nil }
        return
            "none came, though the server answers with status \(status): a download, and a page that is redirected to "
            + "another app, do not attach"
    }
}

extension Duration {
    /// The time in seconds, without decimals that say nothing: `30`, `0.1`.
    var seconds: String { JSONValue.number((self / .milliseconds(1)).rounded() / 1000).text }
}

extension String {
    /// A sentence without its full stop, so that a text can go on behind it.
    var withoutStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
