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
            WKWebsiteDataTypeLocalStorage, WKWebsiteDataTypeSessionStorage,
        ]
    }

    public let isPersistent: Bool
    open private(set) lazy var httpCookieStore = WKHTTPCookieStore(limitations)
    /// Those of the first web view with this store.
    private var limitations = Limitations()
    private var isAttached = false

    /// Lets problems go to the server of the first web view that uses the store.
    func attach(_ limitations: Limitations) {
        guard !isAttached else { return }
        isAttached = true
        self.limitations = limitations
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

    private func report() {
        limitations.report(
            "WKWebsiteDataStore.removeData removes nothing, because the browser keeps the data.",
            hint: "Delete it in the browser, or start one with an empty profile.")
    }
}

public let WKWebsiteDataTypeCookies = "WKWebsiteDataTypeCookies"
public let WKWebsiteDataTypeDiskCache = "WKWebsiteDataTypeDiskCache"
public let WKWebsiteDataTypeMemoryCache = "WKWebsiteDataTypeMemoryCache"
public let WKWebsiteDataTypeLocalStorage = "WKWebsiteDataTypeLocalStorage"
public let WKWebsiteDataTypeSessionStorage = "WKWebsiteDataTypeSessionStorage"
