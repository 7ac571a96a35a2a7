@_spi(UIKit) public import HeadlessViews

/// A window. It is on screen from `makeKeyAndVisible` on, until it is hidden or removed from its scene.
@preconcurrency @MainActor open class UIWindow: UIView {
    public struct Level: Hashable, RawRepresentable, Sendable {
        public let rawValue: CGFloat

        public init(rawValue: CGFloat) { self.rawValue = rawValue }

        public static let normal = Level(rawValue: 0)
        public static let statusBar = Level(rawValue: 1000)
        public static let alert = Level(rawValue: 2000)
    }

    open weak var windowScene: UIWindowScene?
    open var windowLevel = Level.normal
    open var screen: UIScreen { .main }
    open private(set) var isKeyWindow = false

    open var rootViewController: UIViewController? {
        didSet {
            guard rootViewController !== oldValue else { return }
            Transitions.shared.setNeedsUpdate()
        }
    }

    open override var isHidden: Bool {
        didSet { if isHidden != oldValue { Transitions.shared.setNeedsUpdate() } }
    }

    open override var next: UIResponder? { windowScene ?? UIApplication.shared }

    public override init(frame: CGRect) {
        super.init(frame: frame)
        isWindow = true
    }

    public required init?(coder: NSCoder) {
        super.init(coder: coder)
        isWindow = true
    }

    public convenience init(windowScene: UIWindowScene) {
        self.init(frame: UIScreen.main.bounds)
        self.windowScene = windowScene
    }

    open func makeKey() {
        for window in Transitions.shared.windows { window.isKeyWindow = false }
        isKeyWindow = true
    }

    open func makeKeyAndVisible() {
        let shared = Transitions.shared
        shared.windows.removeAll { $0 === self }
        shared.windows.append(self)
        makeKey()
        isHidden = false
        shared.setNeedsUpdate()
    }

    /// Takes the window off the screen. (Not in UIKit, where a window disappears when its last reference goes.)
    public func close() {
        Transitions.shared.windows.removeAll { $0 === self }
        isKeyWindow = false
        Transitions.shared.setNeedsUpdate()
    }
}

extension UIView {
    /// The window that the view is in.
    public var window: UIWindow? { root as? UIWindow }
}

@preconcurrency @MainActor open class UIScreen: NSObject {
    public static let main = UIScreen()
    /// The size of an iPhone 16's screen, in points.
    open var bounds: CGRect { CGRect(x: 0, y: 0, width: 393, height: 852) }
    open var nativeBounds: CGRect { CGRect(x: 0, y: 0, width: 1179, height: 2556) }
    open var scale: CGFloat { 3 }
    open var brightness: CGFloat = 0.5
    open var maximumFramesPerSecond: Int { 60 }
    open var traitCollection: UITraitCollection { UITraitCollection() }
}

@preconcurrency @MainActor open class UIDevice: NSObject {
    public static let current = UIDevice()
    open var name: String { "iPhone" }
    open var model: String { "iPhone" }
    open var localizedModel: String { "iPhone" }
    open var systemName: String { "iOS" }
    open var systemVersion: String { "26.0" }
    open var userInterfaceIdiom: UIUserInterfaceIdiom { .phone }
    open private(set) lazy var identifierForVendor: UUID? = UUID()
    open var orientation: UIDeviceOrientation { .portrait }
    open var isBatteryMonitoringEnabled = false
    open var batteryLevel: Float { -1 }
}

public enum UIDeviceOrientation: Int, Sendable {
    case unknown, portrait, portraitUpsideDown, landscapeLeft, landscapeRight, faceUp, faceDown
    public var isLandscape: Bool { self == .landscapeLeft || self == .landscapeRight }
    public var isPortrait: Bool { self == .portrait || self == .portraitUpsideDown }
}
