import BridgeServer
public import Foundation

/// The store of cookies and other website data. It has no effect: the browser keeps this data. `removeData` removes
/// nothing, and a `problem` record says so.
@preconcurrency @MainActor open class WKWebsiteDataStore: NSObject {
    private static let shared = WKWebsiteDataStore(isPersistent: true)

    open class func `default`() -> WKWebsiteDataStore { shared }
    open class func nonPersistent() -> WKWebsiteDataStore { WKWebsiteDataStore(isPersistent: false) }
    open class func allWebsiteDataTypes() -> Set<String> {
        [
            WKWebsiteDataTypeCookies, WKWebsiteDataTypeDiskCache, WKWebsiteDataTypeMemoryCache,
            WKWebsiteDataTypeLocalStorage, WKWebsiteDataTypeSessionStorage, WKWebsiteDataTypeIndexedDBDatabases,
            WKWebsiteDataTypeWebSQLDatabases, WKWebsiteDataTypeOfflineWebApplicationCache, WKWebsiteDataTypeFetchCache,
            WKWebsiteDataTypeServiceWorkerRegistrations,
        ]
    }

    public let isPersistent: Bool
    open private(set) lazy var httpCookieStore = WKHTTPCookieStore(self)
    /// Those of the first web view with this store.
    private(set) var limitations = Limitations()
    private var webViews: [WeakWebView] = []

    private struct WeakWebView { weak var webView: WKWebView? }

    /// Notes that a web view uses the store. Problems go to the server of the first one.
    func attach(_ webView: WKWebView) {
        if webViews.isEmpty { limitations = webView.limitations }
        webViews = webViews.filter { $0.webView != nil } + [WeakWebView(webView: webView)]
    }

    /// A page of a driven browser, which has the store's cookies.
    var drivenPage: Page? {
        webViews.lazy.compactMap(\.webView?.loader.attachedPage).first(where: \.isDriven)
    }

    init(isPersistent: Bool) { self.isPersistent = isPersistent }

    open func removeData(
        ofTypes dataTypes: Set<String>, modifiedSince date: Date,
        completionHandler: @escaping @MainActor @Sendable () -> Void
    ) {
        report()
        Task { completionHandler() }
    }

    open func removeData(ofTypes dataTypes: Set<String>, modifiedSince date: Date) async { report() }

    open func removeData(
        ofTypes dataTypes: Set<String>, for dataRecords: [WKWebsiteDataRecord],
        completionHandler: @escaping @MainActor @Sendable () -> Void
    ) {
        report()
        Task { completionHandler() }
    }

    open func removeData(ofTypes dataTypes: Set<String>, for dataRecords: [WKWebsiteDataRecord]) async { report() }

    /// There are no records, because the browser keeps the data.
    open func fetchDataRecords(
        ofTypes dataTypes: Set<String>,
        completionHandler: @escaping @MainActor @Sendable ([WKWebsiteDataRecord]) -> Void
    ) { Task { completionHandler([]) } }

    open func dataRecords(ofTypes dataTypes: Set<String>) async -> [WKWebsiteDataRecord] { [] }

    private func report() {
        limitations.report(
            "WKWebsiteDataStore.removeData removes nothing, because the browser keeps the data.",
            hint: "Delete it in the browser, or start one with an empty profile.")
    }
}

/// The data of one site.
@preconcurrency @MainActor open class WKWebsiteDataRecord: NSObject {
    public let displayName: String
    public let dataTypes: Set<String>

    init(displayName: String, dataTypes: Set<String>) { (self.displayName, self.dataTypes) = (displayName, dataTypes) }
}

public let WKWebsiteDataTypeCookies = "WKWebsiteDataTypeCookies"
public let WKWebsiteDataTypeDiskCache = "WKWebsiteDataTypeDiskCache"
public let WKWebsiteDataTypeMemoryCache = "WKWebsiteDataTypeMemoryCache"
public let WKWebsiteDataTypeLocalStorage = "WKWebsiteDataTypeLocalStorage"
public let WKWebsiteDataTypeSessionStorage = "WKWebsiteDataTypeSessionStorage"
public let WKWebsiteDataTypeIndexedDBDatabases = "WKWebsiteDataTypeIndexedDBDatabases"
public let WKWebsiteDataTypeWebSQLDatabases = "WKWebsiteDataTypeWebSQLDatabases"
public let WKWebsiteDataTypeOfflineWebApplicationCache = "WKWebsiteDataTypeOfflineWebApplicationCache"
public let WKWebsiteDataTypeFetchCache = "WKWebsiteDataTypeFetchCache"
public let WKWebsiteDataTypeServiceWorkerRegistrations = "WKWebsiteDataTypeServiceWorkerRegistrations"
