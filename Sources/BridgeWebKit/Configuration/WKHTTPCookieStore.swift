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
    private var changes: [DriverCommand] = []
    private static let maximumChanges = 1_000
    /// The number of changes that the browser has not answered yet.
    private var unanswered = 0
    /// What waits until it has.
    private var waiting: [@MainActor () -> Void] = []
    /// WebKit does not retain them, either.
    private var observers: [WeakObserver] = []
    /// Compares the cookies again and again while there are observers: browsers tell of no change that a script makes.
    private var watch: Task<Void, Never>?
    /// The cookies of the last comparison; nil before the first.
    private var known: [String]?

    private struct WeakObserver { weak var observer: (any WKHTTPCookieStoreObserver)? }

    init(_ dataStore: WKWebsiteDataStore) { self.dataStore = dataStore }

    open func getAllCookies(_ completionHandler: @escaping @MainActor @Sendable ([HTTPCookie]) -> Void) {
        guard let page = dataStore?.drivenPage else {
            report()
            Task { completionHandler([]) }
            return
        }
        page.command(.allCookies) { result in
            let cookies = (try? result.get())?.json.elements ?? []
            completionHandler(cookies.compactMap { HTTPCookie(BrowserCookie($0)) })
        }
    }

    open func allCookies() async -> [HTTPCookie] {
        await withCheckedContinuation { continuation in getAllCookies { continuation.resume(returning: $0) } }
    }

    open func setCookie(_ cookie: HTTPCookie, completionHandler: (@MainActor @Sendable () -> Void)? = nil) {
        change(.setCookie(BrowserCookie(cookie)), completionHandler)
    }

    open func setCookie(_ cookie: HTTPCookie) async {
        await withCheckedContinuation { continuation in setCookie(cookie) { continuation.resume() } }
    }

    open func delete(_ cookie: HTTPCookie, completionHandler: (@MainActor @Sendable () -> Void)? = nil) {
        change(.deleteCookie(BrowserCookie(cookie)), completionHandler)
    }

    open func deleteCookie(_ cookie: HTTPCookie) async {
        await withCheckedContinuation { continuation in delete(cookie) { continuation.resume() } }
    }

    open func add(_ observer: any WKHTTPCookieStoreObserver) {
        observers.append(WeakObserver(observer: observer))
        if dataStore?.drivenPage != nil { watchCookies() }
    }

    open func remove(_ observer: any WKHTTPCookieStoreObserver) {
        observers.removeAll { $0.observer == nil || $0.observer === observer }
    }

    private func watchCookies() {
        guard watch == nil else { return }
        watch = Task { [weak self] in
            while await self?.compare() == true { try? await Task.sleep(for: .milliseconds(300)) }
            self?.watch = nil
        }
    }

    /// Tells the observers if the cookies have changed.
    /// - Returns: whether there are observers.
    private func compare() async -> Bool {
        observers.removeAll { $0.observer == nil }
        guard !observers.isEmpty else { return false }
        guard let page = dataStore?.drivenPage else { return true }
        let cookies: [String]? = await withCheckedContinuation { continuation in
            page.command(.allCookies) { result in
                continuation.resume(returning: (try? result.get())?.json.elements.map(\.text).sorted())
            }
        }
        // A page that has gone meanwhile has none to tell.
        guard let cookies, cookies != known else { return true }
        let isFirst = known == nil
        known = cookies
        if !isFirst { for entry in observers { entry.observer?.cookiesDidChange(in: self) } }
        return true
    }

    private func change(_ command: DriverCommand, _ completionHandler: (@MainActor @Sendable () -> Void)?) {
        if let page = dataStore?.drivenPage { return send(command, to: page, completionHandler) }
        changes = changes.suffix(WKHTTPCookieStore.maximumChanges - 1) + [command]
        Task { completionHandler?() }
    }

    /// Gives a page the changes that were made before. Call this before the page begins its first load.
    func attached(_ page: Page) {
        guard page.isDriven else {
            if !changes.isEmpty || !observers.isEmpty { report() }
            return
        }
        if !observers.isEmpty { watchCookies() }
        guard !changes.isEmpty else { return }
        for command in changes { send(command, to: page, nil) }
        changes = []
    }

    private func send(
        _ command: DriverCommand, to page: Page, _ completionHandler: (@MainActor @Sendable () -> Void)?
    ) {
        unanswered += 1
        page.command(command) { [self] _ in
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
    fileprivate convenience init?(_ cookie: BrowserCookie) {
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: cookie.name, .value: cookie.value, .domain: cookie.domain, .path: cookie.path,
        ]
        if let expires = cookie.expires { properties[.expires] = Date(timeIntervalSince1970: expires) }
        if cookie.isSecure { properties[.secure] = "TRUE" }
        if cookie.isHTTPOnly { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
        self.init(properties: properties)
    }
}

extension BrowserCookie {
    fileprivate init(_ cookie: HTTPCookie) {
        self.init(
            name: cookie.name, value: cookie.value, domain: cookie.domain, path: cookie.path, isSecure: cookie.isSecure,
            isHTTPOnly: cookie.isHTTPOnly, expires: cookie.expiresDate?.timeIntervalSince1970)
    }
}

/// Learns of changes of cookies, if a browser is driven: up to 0.3 s after them, because browsers have to be asked.
@preconcurrency @MainActor public protocol WKHTTPCookieStoreObserver: NSObjectProtocol {
    func cookiesDidChange(in cookieStore: WKHTTPCookieStore)
}

extension WKHTTPCookieStoreObserver {
    public func cookiesDidChange(in cookieStore: WKHTTPCookieStore) {}
}
