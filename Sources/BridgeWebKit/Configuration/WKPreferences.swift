public import Foundation

// `javaScriptEnabled` and `allowsContentJavaScript` take effect. The other settings are only stored, because a browser
// has settings of its own.

@preconcurrency @MainActor open class WKPreferences: NSObject {
    open var minimumFontSize: CGFloat = 0
    /// If false, neither the page's scripts nor those of native code run in documents that load afterwards.
    open var javaScriptEnabled = true
    open var javaScriptCanOpenWindowsAutomatically = false
    open var isFraudulentWebsiteWarningEnabled = true
    open var isTextInteractionEnabled = true
    open var isElementFullscreenEnabled = false
    open var isSiteSpecificQuirksModeEnabled = true
    open var shouldPrintBackgrounds = false

    public override init() { super.init() }
}

@preconcurrency @MainActor open class WKWebpagePreferences: NSObject {
    public enum ContentMode: Int, Sendable {
        case recommended = 0
        case mobile = 1
        case desktop = 2
    }

    open var preferredContentMode = ContentMode.recommended
    /// If false, the page's own scripts do not run. User scripts and evaluations of native code do.
    open var allowsContentJavaScript = true
    open var isLockdownModeEnabled = false

    public override init() { super.init() }
}

@preconcurrency @MainActor open class WKProcessPool: NSObject {
    public override init() { super.init() }
}
