public import HeadlessUIKit

/// A view controller that shows a view of SwiftUI.
@preconcurrency @MainActor open class UIHostingController<Content: View>: UIViewController {
    public var rootView: Content {
        didSet { screen.setRoot(rootView, environment) }
    }
    let screen: Screen
    private let environment: EnvironmentValues
    /// Called when the controller was dismissed.
    var onGone: (() -> Void)?

    public init(rootView: Content) {
        self.rootView = rootView
        environment = EnvironmentValues()
        screen = Screen(rootView)
        super.init(nibName: nil, bundle: nil)
        screen.attach(self)
    }

    public init?(coder: NSCoder, rootView: Content) {
        self.rootView = rootView
        environment = EnvironmentValues()
        screen = Screen(rootView)
        super.init(nibName: nil, bundle: nil)
        screen.attach(self)
    }

    init(_ rootView: Content, _ screen: Screen) {
        (self.rootView, self.screen) = (rootView, screen)
        environment = screen.root.environment
        super.init(nibName: nil, bundle: nil)
        screen.attach(self)
    }

    public required init?(coder: NSCoder) { nil }

    open override func viewDidLoad() {
        super.viewDidLoad()
        screen.load()
    }

    open override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        screen.setVisible(true)
        screen.update()
    }

    open override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        screen.setVisible(false)
        if isBeingDismissed { onGone?() }
    }

    open var safeAreaRegions: Int = 0
    open var sizingOptions: UIHostingControllerSizingOptions = []
}

public struct UIHostingControllerSizingOptions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let intrinsicContentSize = UIHostingControllerSizingOptions(rawValue: 1)
    public static let preferredContentSize = UIHostingControllerSizingOptions(rawValue: 2)
}

/// A view that only wraps others, so that it does not name a screen.
protocol WrappingView {}

extension Node {
    /// The name of the first view of the app, or of SwiftUI itself if it is alone.
    var shownType: String {
        var node = self
        while true {
            let type = node.viewType
            let isWrapper = type is any GroupView.Type || type is any WrappingView.Type || node is any EffectNode
            guard isWrapper, node.children.count == 1, let child = node.children.first else { return "\(type)" }
            node = child
        }
    }
}

/// A controller for a screen that SwiftUI itself shows.
@MainActor func makeController(for screen: Screen) -> UIHostingController<AnyView> {
    UIHostingController(AnyView(EmptyView()), screen)
}
