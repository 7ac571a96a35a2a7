public import Foundation

// Settings of a real web view. A browser has its own: but for those about JavaScript, these are kept and have no effect.

@preconcurrency @MainActor open class WKPreferences: NSObject {
    open var minimumFontSize: CGFloat = 0
    /// Without it neither the page's scripts nor native code's run in documents that are loaded from then on.
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
    /// Without it the page's own scripts don't run; user scripts, and what native code evaluates, do.
    open var allowsContentJavaScript = true
    open var isLockdownModeEnabled = false

    public override init() { super.init() }
}

@preconcurrency @MainActor open class WKProcessPool: NSObject {
    public override init() { super.init() }
}
