public import HeadlessViews

@preconcurrency @MainActor open class UIBarItem: NSObject {
    open var title: String?
    open var image: UIImage?
    open var isEnabled = true
    open var tag = 0
    open var accessibilityLabel: String?
    open var accessibilityIdentifier: String?
    private var textAttributes: [UInt: [NSAttributedString.Key: Any]] = [:]

    open func setTitleTextAttributes(_ attributes: [NSAttributedString.Key: Any]?, for state: UIControl.State) {
        textAttributes[state.rawValue] = attributes
    }
}

/// A button in a navigation bar or a toolbar.
open class UIBarButtonItem: UIBarItem {
    public enum Style: Int, Sendable { case plain, done = 2, prominent = 3 }

    public enum SystemItem: Int, Sendable {
        case done, cancel, edit, save, add, flexibleSpace, fixedSpace, compose, reply, action, organize, bookmarks,
            search
        case refresh, stop, camera, trash, play, pause, rewind, fastForward, undo, redo, close = 24
    }

    open var style = Style.plain
    open weak var target: AnyObject?
    open var action: Selector?
    open var primaryAction: UIAction?
    open var menu: UIMenu?
    open var customView: UIView?
    open var tintColor: UIColor?
    open var width: CGFloat = 0
    open var isSelected = false
    open var isHidden = false
    open var changesSelectionAsPrimaryAction = false
    /// The item of the system that this is, by name. (Not in UIKit.)
    public private(set) var systemItem: SystemItem?

    public override init() { super.init() }

    public convenience init(
        title: String? = nil, image: UIImage? = nil, primaryAction: UIAction? = nil, menu: UIMenu? = nil
    ) {
        self.init()
        self.title = title ?? primaryAction?.title
        self.image = image ?? primaryAction?.image
        self.primaryAction = primaryAction
        self.menu = menu
    }

    public convenience init(title: String?, style: Style, target: Any?, action: Selector?) {
        self.init()
        self.title = title
        set(style: style, target: target, action: action)
    }

    public convenience init(image: UIImage?, style: Style, target: Any?, action: Selector?) {
        self.init()
        self.image = image
        set(style: style, target: target, action: action)
    }

    public convenience init(barButtonSystemItem systemItem: SystemItem, target: Any?, action: Selector?) {
        self.init(systemItem: systemItem)
        set(style: .plain, target: target, action: action)
    }

    public convenience init(systemItem: SystemItem, primaryAction: UIAction? = nil, menu: UIMenu? = nil) {
        self.init()
        self.systemItem = systemItem
        self.primaryAction = primaryAction
        self.menu = menu
    }

    public convenience init(customView: UIView) {
        self.init()
        self.customView = customView
    }

    public static func flexibleSpace() -> UIBarButtonItem { UIBarButtonItem(systemItem: .flexibleSpace) }

    public static func fixedSpace(_ width: CGFloat) -> UIBarButtonItem {
        let item = UIBarButtonItem(systemItem: .fixedSpace)
        item.width = width
        return item
    }

    private func set(style: Style, target: Any?, action: Selector?) {
        self.style = style
        self.target = target.map { $0 as AnyObject }
        self.action = action
    }

    /// Whether it only keeps its neighbours apart. (Not in UIKit.)
    public var isSpace: Bool { systemItem == .flexibleSpace || systemItem == .fixedSpace }

    /// What a user would call it: its title, its accessibility label, or the name of its symbol. (Not in UIKit.)
    public var shownTitle: String {
        if let title, !title.isEmpty { return title }
        if let button = customView as? UIButton, let title = button.currentTitle { return title }
        if let systemItem { return "\(systemItem)" }
        return accessibilityLabel ?? image?.name ?? ""
    }

    /// Acts as if the user had tapped it. (Not in UIKit.)
    /// - Returns: false if it is disabled or has nothing that a tap calls. A tap on a menu's item opens the menu.
    @discardableResult
    public func tap() -> Bool {
        guard isEnabled, !isHidden else { return false }
        if let primaryAction { return primaryAction.perform(sender: self) }
        if let target, let action { return action.call(target, sender: self) }
        if let control = customView as? UIControl, control.isEnabled {
            control.sendActions(for: [.touchUpInside, .primaryActionTriggered])
            return true
        }
        return false
    }
}

open class UITabBarItem: UIBarItem {
    open var selectedImage: UIImage?
    open var badgeValue: String?
    open var badgeColor: UIColor?

    public override init() { super.init() }

    public convenience init(title: String?, image: UIImage?, selectedImage: UIImage?) {
        self.init()
        self.title = title
        self.image = image
        self.selectedImage = selectedImage
    }

    public convenience init(title: String?, image: UIImage?, tag: Int) {
        self.init(title: title, image: image, selectedImage: nil)
        self.tag = tag
    }
}
