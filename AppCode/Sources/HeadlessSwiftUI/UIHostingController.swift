public import HeadlessUIKit
import Observation

/// A view controller that shows a view of SwiftUI, and shows it again if what the view has read of an `@Observable` object
/// changes.
@preconcurrency @MainActor open class UIHostingController<Content: View>: UIViewController {
    public var rootView: Content {
        didSet { if isViewLoaded { showContent(isFirst: false) } }
    }

    public init(rootView: Content) {
        self.rootView = rootView
        super.init(nibName: nil, bundle: nil)
    }

    public required init?(coder: NSCoder) { nil }

    open override func viewDidLoad() {
        super.viewDidLoad()
        showContent(isFirst: true)
    }

    private func showContent(isFirst: Bool) {
        for subview in view.subviews { subview.removeFromSuperview() }
        Rendering.current = Rendering(controller: self, isFirst: isFirst)
        defer { Rendering.current = nil }
        let content = withObservationTracking {
            rootView.rendered()
        } onChange: { [weak self] in
            Task { @MainActor in self?.showContent(isFirst: false) }
        }
        view.addSubview(content)
    }
}

/// The controller that makes its views at the moment.
@MainActor struct Rendering {
    static var current: Rendering?

    let controller: UIViewController
    /// Whether the view appears, so that its tasks begin.
    let isFirst: Bool
}

/// A view that does something when it is made.
struct ActingView<Content: View>: View, PrimitiveView {
    let content: Content
    let action: @MainActor (Rendering) -> Void

    var body: Never { fatalError("A primitive view has no body.") }

    func makeUIView() -> UIView {
        Rendering.current.map(action)
        return content.rendered()
    }
}

extension View {
    /// The title of the screen in its navigation bar.
    public func navigationTitle(_ title: String) -> some View {
        ActingView(content: self) { $0.controller.navigationItem.title = title }
    }

    /// Begins when the view appears first. It is not cancelled.
    public func task(_ action: @escaping @MainActor () async -> Void) -> some View {
        ActingView(content: self) { if $0.isFirst { Task { @MainActor in await action() } } }
    }

    public func onAppear(perform action: (() -> Void)? = nil) -> some View {
        ActingView(content: self) { if $0.isFirst { action?() } }
    }
}
