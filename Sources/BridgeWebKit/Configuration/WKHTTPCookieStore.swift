import BridgeProtocol
import BridgeServer
public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// The cookies of a data store. Native code reaches them if a browser is driven. Otherwise the browser keeps them: reading
/// gives none, changes have no effect, and a `problem` record says so.
@preconcurrency @MainActor open class WKHTTPCookieStore: NSObject {
    private weak var dataStore: WKWebsiteDataStore?
    /// The changes that were made before a page was attached, the latest ones. The first driven page gets them.
    private var changes: [(method: String, cookie: HTTPCookie)] = []
    private static let maximumChanges = 1_000
    /// The number of changes that the browser has not answered yet.
    private var unanswered = 0
    /// What waits until it has.
    private var waiting: [@MainActor () -> Void] = []

    init(_ dataStore: WKWebsiteDataStore) { self.dataStore = dataStore }

    open func getAllCookies(_ completionHandler: @escaping @MainActor @Sendable ([HTTPCookie]) -> Void) {
        guard let page = dataStore?.drivenPage else {
            report()
            Task { completionHandler([]) }
            return
        }
        page.command("cookies.all") { result in
            let cookies = (try? result.get())?.json.elements ?? []
            completionHandler(cookies.compactMap(HTTPCookie.init(json:)))
        }
    }

    open func allCookies() async -> [HTTPCookie] {
        await withCheckedContinuation { continuation in getAllCookies { continuation.resume(returning: $0) } }
    }

    open func setCookie(_ cookie: HTTPCookie, completionHandler: (@MainActor @Sendable () -> Void)? = nil) {
        change("cookies.set", cookie, completionHandler)
    }

    open func setCookie(_ cookie: HTTPCookie) async {
        await withCheckedContinuation { continuation in change("cookies.set", cookie) { continuation.resume() } }
    }

    open func delete(_ cookie: HTTPCookie, completionHandler: (@MainActor @Sendable () -> Void)? = nil) {
        change("cookies.delete", cookie, completionHandler)
    }

    open func deleteCookie(_ cookie: HTTPCookie) async {
        await withCheckedContinuation { continuation in change("cookies.delete", cookie) { continuation.resume() } }
    }

    open func add(_ observer: any WKHTTPCookieStoreObserver) { report() }
    open func remove(_ observer: any WKHTTPCookieStoreObserver) {}

    private func change(
        _ method: String, _ cookie: HTTPCookie, _ completionHandler: (@MainActor @Sendable () -> Void)?
    ) {
        if let page = dataStore?.drivenPage {
            return send(method, cookie, to: page, completionHandler)
        }
        changes = changes.suffix(WKHTTPCookieStore.maximumChanges - 1) + [(method, cookie)]
        Task { completionHandler?() }
    }

    /// Gives a page the changes that were made before. Call this before the page begins its first load.
    func attached(_ page: Page) {
        guard !changes.isEmpty else { return }
        guard page.isDriven else { return report() }
        for (method, cookie) in changes { send(method, cookie, to: page, nil) }
        changes = []
    }

    private func send(
        _ method: String, _ cookie: HTTPCookie, to page: Page, _ completionHandler: (@MainActor @Sendable () -> Void)?
    ) {
        unanswered += 1
        page.command(method, [.init("cookie", cookie.json)]) { [self] _ in
            unanswered -= 1
            completionHandler?()
            guard unanswered == 0 else { return }
            let ready = waiting
            waiting = []
            for body in ready { body() }
        }
    }

    /// Calls `body` when the browser has made all changes.
    func afterChanges(_ body: @escaping @MainActor () -> Void) {
        if unanswered == 0 { body() } else { waiting.append(body) }
    }

    private func report() {
        dataStore?.limitations.report(
            "WKHTTPCookieStore has no cookies, because the browser keeps them.",
            hint:
                "Let the server set them, or evaluate document.cookie in the page; or use a browser that bridged drives."
        )
    }
}

extension HTTPCookie {
    /// Makes a cookie from the form in which a driver reports it.
    fileprivate convenience init?(json: JSON) {
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: json["name"]?.string ?? "", .value: json["value"]?.string ?? "",
            .domain: json["domain"]?.string ?? "", .path: json["path"]?.string ?? "/",
        ]
        if let expires = json["expires"]?.number { properties[.expires] = Date(timeIntervalSince1970: expires) }
        if json["secure"]?.bool == true { properties[.secure] = "TRUE" }
        if json["httpOnly"]?.bool == true { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
        self.init(properties: properties)
    }

    /// The form in which a driver gets the cookie.
    fileprivate var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init("name", .string(name)), .init("value", .string(value)), .init("domain", .string(domain)),
            .init("path", .string(path)), .init("secure", .bool(isSecure)), .init("httpOnly", .bool(isHTTPOnly)),
        ]
        if let expiresDate { members.append(.init("expires", .number(expiresDate.timeIntervalSince1970))) }
        return .object(members)
    }
}

/// Learns of changes of cookies. It is never called.
@preconcurrency @MainActor public protocol WKHTTPCookieStoreObserver: NSObjectProtocol {
    func cookiesDidChange(in cookieStore: WKHTTPCookieStore)
}

extension WKHTTPCookieStoreObserver {
    public func cookiesDidChange(in cookieStore: WKHTTPCookieStore) {}
}
