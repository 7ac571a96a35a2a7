public import HeadlessUIKit

/// What a view of UIKit gets from SwiftUI.
@preconcurrency @MainActor public struct UIViewRepresentableContext<Representable: UIViewRepresentable> {
    public let coordinator: Representable.Coordinator
    public let environment: EnvironmentValues
    public var transaction: Transaction { Transaction() }
}

/// What a controller of UIKit gets from SwiftUI.
@preconcurrency @MainActor
public struct UIViewControllerRepresentableContext<Representable: UIViewControllerRepresentable> {
    public let coordinator: Representable.Coordinator
    public let environment: EnvironmentValues
    public var transaction: Transaction { Transaction() }
}

/// A view of UIKit in SwiftUI. It is made once for each place in the tree, and updated if its value, its environment or
/// what it has read changes.
@preconcurrency @MainActor public protocol UIViewRepresentable: View where Body == Never {
    associatedtype UIViewType: UIView
    associatedtype Coordinator = Void
    typealias Context = UIViewRepresentableContext<Self>

    func makeUIView(context: Context) -> UIViewType
    func updateUIView(_ uiView: UIViewType, context: Context)
    func makeCoordinator() -> Coordinator
    static func dismantleUIView(_ uiView: UIViewType, coordinator: Coordinator)
}

extension UIViewRepresentable {
    public var body: Never { noBody() }
    public static func dismantleUIView(_ uiView: UIViewType, coordinator: Coordinator) {}

    func makeRepresentableNode(_ parent: Node?, _ environment: EnvironmentValues) -> Node {
        UIViewNode(self, parent: parent, environment)
    }
}

extension UIViewRepresentable where Coordinator == Void {
    public func makeCoordinator() -> Coordinator { () }
}

/// A controller of UIKit in SwiftUI.
@preconcurrency @MainActor public protocol UIViewControllerRepresentable: View where Body == Never {
    associatedtype UIViewControllerType: UIViewController
    associatedtype Coordinator = Void
    typealias Context = UIViewControllerRepresentableContext<Self>

    func makeUIViewController(context: Context) -> UIViewControllerType
    func updateUIViewController(_ uiViewController: UIViewControllerType, context: Context)
    func makeCoordinator() -> Coordinator
    static func dismantleUIViewController(_ uiViewController: UIViewControllerType, coordinator: Coordinator)
}

extension UIViewControllerRepresentable {
    public var body: Never { noBody() }
    public static func dismantleUIViewController(_ uiViewController: UIViewControllerType, coordinator: Coordinator) {}

    func makeRepresentableNode(_ parent: Node?, _ environment: EnvironmentValues) -> Node {
        UIViewControllerNode(self, parent: parent, environment)
    }
}

extension UIViewControllerRepresentable where Coordinator == Void {
    public func makeCoordinator() -> Coordinator { () }
}

final class UIViewNode<Content: UIViewRepresentable>: TypedNode<Content> {
    private var made: (view: Content.UIViewType, coordinator: Content.Coordinator)?

    override var views: [UIView] {
        if let made { return [made.view] }
        return Dependencies.track(self) {
            let content = properties.install(in: value, of: self)
            let coordinator = content.makeCoordinator()
            let view = content.makeUIView(context: context(coordinator))
            made = (view, coordinator)
            content.updateUIView(view, context: context(coordinator))
            return [view]
        }
    }

    private func context(_ coordinator: Content.Coordinator) -> Content.Context {
        UIViewRepresentableContext(coordinator: coordinator, environment: environment)
    }

    override func update() {
        isInvalid = false
        guard let made else { return }
        Dependencies.track(self) {
            properties.install(in: value, of: self).updateUIView(made.view, context: context(made.coordinator))
        }
    }

    override func unmount() {
        guard isMounted else { return }
        super.unmount()
        guard let made else { return }
        self.made = nil
        made.view.removeFromSuperview()
        Content.dismantleUIView(made.view, coordinator: made.coordinator)
    }
}

final class UIViewControllerNode<Content: UIViewControllerRepresentable>: TypedNode<Content> {
    private var made: (controller: Content.UIViewControllerType, coordinator: Content.Coordinator)?

    override var views: [UIView] {
        if let made {
            adopt(made.controller)
            return [made.controller.view]
        }
        let controller = Dependencies.track(self) {
            let content = properties.install(in: value, of: self)
            let coordinator = content.makeCoordinator()
            let controller = content.makeUIViewController(context: context(coordinator))
            made = (controller, coordinator)
            content.updateUIViewController(controller, context: context(coordinator))
            return controller
        }
        adopt(controller)
        return [controller.view]
    }

    /// Makes the controller a child of that of its screen.
    private func adopt(_ controller: UIViewController) {
        guard let parent = screen?.controller, controller.parent !== parent else { return }
        parent.addChild(controller)
        controller.didMove(toParent: parent)
    }

    private func context(_ coordinator: Content.Coordinator) -> Content.Context {
        UIViewControllerRepresentableContext(coordinator: coordinator, environment: environment)
    }

    override func update() {
        isInvalid = false
        guard let made else { return }
        Dependencies.track(self) {
            properties.install(in: value, of: self)
                .updateUIViewController(made.controller, context: context(made.coordinator))
        }
    }

    override func unmount() {
        guard isMounted else { return }
        super.unmount()
        guard let made else { return }
        self.made = nil
        made.controller.willMove(toParent: nil)
        made.controller.viewIfLoaded?.removeFromSuperview()
        made.controller.removeFromParent()
        Content.dismantleUIViewController(made.controller, coordinator: made.coordinator)
    }
}
