public import HeadlessViews

public enum UISemanticContentAttribute: Int, Sendable {
    case unspecified, playback, spatial, forceLeftToRight, forceRightToLeft
}

public struct UIDataDetectorTypes: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let phoneNumber = UIDataDetectorTypes(rawValue: 1)
    public static let link = UIDataDetectorTypes(rawValue: 2)
    public static let address = UIDataDetectorTypes(rawValue: 4)
    public static let calendarEvent = UIDataDetectorTypes(rawValue: 8)
    public static let all = UIDataDetectorTypes(rawValue: .max)
}

extension NSLayoutConstraint {
    public struct FormatOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let alignAllLeft = FormatOptions(rawValue: 2)
        public static let alignAllRight = FormatOptions(rawValue: 4)
        public static let alignAllTop = FormatOptions(rawValue: 8)
        public static let alignAllBottom = FormatOptions(rawValue: 16)
        public static let alignAllCenterX = FormatOptions(rawValue: 512)
        public static let alignAllCenterY = FormatOptions(rawValue: 1024)
        public static let directionLeadingToTrailing: FormatOptions = []
        public static let directionLeftToRight = FormatOptions(rawValue: 1 << 16)
    }

    /// Nothing is laid out, so that the format is not read: there are no constraints.
    public class func constraints(
        withVisualFormat format: String, options opts: FormatOptions = [], metrics: [String: Any]?, views: [String: Any]
    ) -> [NSLayoutConstraint] { [] }
}

extension UIActivityIndicatorView.Style {
    // The names before iOS 13.
    public static let white = UIActivityIndicatorView.Style.medium
    public static let gray = UIActivityIndicatorView.Style.medium
    public static let whiteLarge = UIActivityIndicatorView.Style.large
}

extension UIActivityIndicatorView {
    public convenience init(activityIndicatorStyle style: Style) { self.init(style: style) }
}

extension UIProgressView {
    public enum Style: Int, Sendable { case `default`, bar }

    public convenience init(progressViewStyle style: Style) { self.init(frame: .zero) }
}

@preconcurrency @MainActor public protocol UITabBarDelegate: NSObjectProtocol {
    func tabBar(_ tabBar: UITabBar, didSelect item: UITabBarItem)
}

extension UITabBarDelegate {
    public func tabBar(_ tabBar: UITabBar, didSelect item: UITabBarItem) {}
}

extension UITabBarItem {
    public enum SystemItem: Int, Sendable {
        case more, favorites, featured, topRated, recents, contacts, history, bookmarks, search, downloads, mostRecent,
            mostViewed
    }

    /// Its title is the item's name.
    public convenience init(tabBarSystemItem systemItem: SystemItem, tag: Int) {
        let name = "\(systemItem)"
        self.init(title: name.prefix(1).uppercased() + name.dropFirst(), image: UIImage(systemName: name), tag: tag)
    }
}

// The names of Swift 4.
public typealias NSLayoutFormatOptions = NSLayoutConstraint.FormatOptions
public typealias UIApplicationLaunchOptionsKey = UIApplication.LaunchOptionsKey
