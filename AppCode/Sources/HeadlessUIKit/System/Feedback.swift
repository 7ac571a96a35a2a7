public import HeadlessViews

/// The haptics that an app has asked for, for tests. (Not in UIKit.)
@MainActor public final class Haptics {
    public static let shared = Haptics()
    /// Such as `notification success` or `impact medium`, the newest last.
    public private(set) var played: [String] = []
    public var onPlay: ((String) -> Void)?

    func play(_ name: String) {
        played.append(name)
        if played.count > 100 { played.removeFirst() }
        onPlay?(name)
    }
}

@preconcurrency @MainActor open class UIFeedbackGenerator: NSObject {
    public override init() { super.init() }
    open func prepare() {}
}

open class UINotificationFeedbackGenerator: UIFeedbackGenerator {
    public enum FeedbackType: Int, Sendable { case success, warning, error }

    open func notificationOccurred(_ notificationType: FeedbackType) {
        Haptics.shared.play("notification \(notificationType)")
    }
}

open class UIImpactFeedbackGenerator: UIFeedbackGenerator {
    public enum FeedbackStyle: Int, Sendable { case light, medium, heavy, soft, rigid }

    private let style: FeedbackStyle

    public override init() {
        style = .medium
        super.init()
    }

    public init(style: FeedbackStyle) {
        self.style = style
        super.init()
    }

    open func impactOccurred() { Haptics.shared.play("impact \(style)") }
    open func impactOccurred(intensity: CGFloat) { impactOccurred() }
}

open class UISelectionFeedbackGenerator: UIFeedbackGenerator {
    open func selectionChanged() { Haptics.shared.play("selection") }
}

/// What the app has copied. It is not the machine's clipboard.
@preconcurrency @MainActor open class UIPasteboard: NSObject {
    public static let general = UIPasteboard()
    open var string: String?
    open var url: URL?
    open var hasStrings: Bool { string != nil }
}
