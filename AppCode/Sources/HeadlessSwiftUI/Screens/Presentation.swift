import HeadlessUIKit

/// Something that a screen presents while a binding says so: a sheet, a cover, an alert.
@MainActor final class Presentation {
    /// The identity of what is to be presented; nil for nothing.
    var wanted: AnyHashable?
    var makeController: () -> UIViewController = { UIViewController() }
    /// Gives what is presented its new views.
    var refresh: (UIViewController) -> Void = { _ in }
    /// Tells the binding that nothing is presented any more.
    var reset: () -> Void = {}
    var onDismiss: (() -> Void)?
    /// The generation of the views that are presented.
    var generation: Int?
    private var shown: (id: AnyHashable, controller: UIViewController)?

    var isShown: Bool { shown != nil }

    func show(from controller: UIViewController) {
        if let shown {
            if shown.controller.presentingViewController == nil { return ended(shown.controller) }
            if shown.id == wanted { return refresh(shown.controller) }
            close()
        } else if let wanted, controller.canPresent {
            let presented = makeController()
            shown = (wanted, presented)
            controller.present(presented, animated: true)
        }
    }

    /// Dismisses what is presented, because the binding says so or the view is gone.
    func close() {
        guard let shown, !shown.controller.isBeingDismissed else { return }
        guard let presenter = shown.controller.presentingViewController else { return ended(shown.controller) }
        presenter.dismiss(animated: true) { Updates.schedule() }
    }

    /// What was presented is gone.
    func ended(_ controller: UIViewController) {
        guard let shown, shown.controller === controller else { return }
        self.shown = nil
        if wanted == shown.id {
            wanted = nil
            reset()
        }
        onDismiss?()
        Updates.schedule()
    }
}

extension UIViewController {
    fileprivate var canPresent: Bool { viewIfLoaded?.window != nil && presentedViewController == nil }
}

/// A sheet or a cover.
struct SheetEffect: Effect {
    let isFullScreen: Bool
    let id: () -> AnyHashable?
    let reset: () -> Void
    let onDismiss: (() -> Void)?
    let content: () -> any View

    func update(_ node: any EffectNode) {
        let presentation = node.presentation
        let id = id()
        presentation.wanted = id
        presentation.onDismiss = onDismiss
        presentation.reset = reset
        let content = content
        presentation.makeController = { [weak node, weak presentation] in
            guard let node else { return UIViewController() }
            let screen = Screen(DeferredView(make: content), parent: node, node.environment) { _ in reset() }
            let controller = HeadlessSwiftUI.makeController(for: screen)
            controller.modalPresentationStyle = isFullScreen ? .fullScreen : .pageSheet
            controller.onGone = { [weak controller, weak screen] in
                screen?.end()
                if let controller { presentation?.ended(controller) }
            }
            return controller
        }
        let generation = node.generation
        presentation.refresh = { [weak node] controller in
            guard let node, let controller = controller as? UIHostingController<AnyView> else { return }
            guard presentation.generation != generation else { return }
            presentation.generation = generation
            controller.screen.setRoot(DeferredView(make: content), node.environment)
        }
        if id == nil || presentation.generation == nil { presentation.generation = generation }
    }

    func collect(_ chrome: inout Chrome, _ node: any EffectNode) { chrome.presentations.append(node.presentation) }
    func end(_ node: any EffectNode) { node.presentation.close() }
}

extension EffectNode {
    /// What this modifier presents.
    var presentation: Presentation {
        if let found = memory as? Presentation { return found }
        let made = Presentation()
        memory = made
        return made
    }
}
