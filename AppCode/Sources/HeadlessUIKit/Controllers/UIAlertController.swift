public import HeadlessViews

/// An alert or an action sheet.
@preconcurrency @MainActor open class UIAlertController: UIViewController {
    public enum Style: Int, Sendable { case actionSheet, alert }

    open var message: String?
    open private(set) var preferredStyle = Style.alert
    open private(set) var actions: [UIAlertAction] = []
    open private(set) var textFields: [UITextField]?
    open var preferredAction: UIAlertAction?

    public convenience init(title: String?, message: String?, preferredStyle: Style) {
        self.init(nibName: nil, bundle: nil)
        self.title = title
        self.message = message
        self.preferredStyle = preferredStyle
        modalPresentationStyle = .custom
    }

    open func addAction(_ action: UIAlertAction) { actions.append(action) }

    open func addTextField(configurationHandler: ((UITextField) -> Void)? = nil) {
        let field = UITextField()
        configurationHandler?(field)
        textFields = (textFields ?? []) + [field]
    }

    /// Acts as if the user had tapped a button: the alert goes away, and then the action's handler runs. (Not in UIKit.)
    /// - Returns: false if there is no such action, or if it is disabled.
    @discardableResult
    public func tap(_ title: String) -> Bool {
        guard let action = actions.first(where: { $0.title == title }), action.isEnabled, !isBeingDismissed else {
            return false
        }
        guard let presenter else {
            action.handler?(action)
            return true
        }
        presenter.dismiss(animated: true) { action.handler?(action) }
        return true
    }
}

@preconcurrency @MainActor open class UIAlertAction: NSObject {
    public enum Style: Int, Sendable { case `default`, cancel, destructive }

    public let title: String?
    public let style: Style
    open var isEnabled = true
    let handler: ((UIAlertAction) -> Void)?

    public init(title: String?, style: Style, handler: ((UIAlertAction) -> Void)? = nil) {
        (self.title, self.style, self.handler) = (title, style, handler)
    }
}
