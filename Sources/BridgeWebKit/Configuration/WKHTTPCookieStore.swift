public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// The cookies of a data store. The browser keeps them, and native code cannot reach them: reading gives none, changes
/// have no effect, and a `problem` record says so.
@preconcurrency @MainActor open class WKHTTPCookieStore: NSObject {
    private let limitations: Limitations

    init(_ limitations: Limitations) { self.limitations = limitations }

    open func getAllCookies(_ completionHandler: @escaping @MainActor @Sendable ([HTTPCookie]) -> Void) {
        report()
        Task { completionHandler([]) }
    }

    open func allCookies() async -> [HTTPCookie] {
        report()
        return []
    }

    open func setCookie(_ cookie: HTTPCookie, completionHandler: (@MainActor @Sendable () -> Void)? = nil) {
        report()
        Task { completionHandler?() }
    }

    open func setCookie(_ cookie: HTTPCookie) async { report() }

    open func delete(_ cookie: HTTPCookie, completionHandler: (@MainActor @Sendable () -> Void)? = nil) {
        report()
        Task { completionHandler?() }
    }

    open func deleteCookie(_ cookie: HTTPCookie) async { report() }

    open func add(_ observer: any WKHTTPCookieStoreObserver) { report() }
    open func remove(_ observer: any WKHTTPCookieStoreObserver) {}

    private func report() {
        limitations.report(
            "WKHTTPCookieStore has no cookies, because the browser keeps them.",
            hint: "Let the server set them, or evaluate document.cookie in the page.")
    }
}

/// Learns of changes of cookies. It is never called.
@preconcurrency @MainActor public protocol WKHTTPCookieStoreObserver: NSObjectProtocol {
    func cookiesDidChange(in cookieStore: WKHTTPCookieStore)
}

extension WKHTTPCookieStoreObserver {
    public func cookiesDidChange(in cookieStore: WKHTTPCookieStore) {}
}
