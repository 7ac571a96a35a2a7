public import Foundation

/// The control that the user pulls down.
@preconcurrency @MainActor open class UIRefreshControl: UIControl {
    open private(set) var isRefreshing = false
    open var attributedTitle: NSAttributedString?

    public override init(frame: CGRect) { super.init(frame: frame) }
    public required init?(coder: NSCoder) { super.init(coder: coder) }

    /// Shows that the app refreshes. The app calls it; it sends no action.
    open func beginRefreshing() { isRefreshing = true }

    open func endRefreshing() { isRefreshing = false }

    /// Acts as if the user had pulled. (Not in UIKit.)
    /// - Returns: false if the control is disabled or already refreshing.
    @discardableResult
    public func pull() -> Bool {
        guard isEnabled, !isRefreshing else { return false }
        isRefreshing = true
        sendActions(for: .valueChanged)
        return true
    }
}
