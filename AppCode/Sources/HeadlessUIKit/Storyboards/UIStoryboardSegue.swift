import Foundation
public import HeadlessViews

/// A transition from one view controller of a storyboard to another.
@preconcurrency @MainActor open class UIStoryboardSegue: NSObject {
    public let identifier: String?
    open private(set) var source: UIViewController
    open private(set) var destination: UIViewController
    private let body: () -> Void

    public init(identifier: String?, source: UIViewController, destination: UIViewController) {
        (self.identifier, self.source, self.destination, body) = (identifier, source, destination, {})
    }

    public init(
        identifier: String?, source: UIViewController, destination: UIViewController,
        performHandler: @escaping () -> Void
    ) { (self.identifier, self.source, self.destination, body) = (identifier, source, destination, performHandler) }

    open func perform() { body() }
}

extension UIViewController {
    /// Performs the segue of the storyboard that has made this controller. UIKit raises an exception for an identifier that
    /// it lacks; here a warning comes.
    func performStoryboardSegue(_ identifier: String, sender: Any?) {
        guard let scene, let segue = scene.segues.first(where: { $0.attributes["identifier"] == identifier }) else {
            return Transitions.shared.warn("\(name) has no segue with identifier '\(identifier)'. Nothing happens.")
        }
        scene.perform(segue, from: self, sender: sender)
    }
}

/// The scene of a storyboard that a controller was made from.
@MainActor final class StoryboardScene {
    private let element: InterfaceElement
    private let storyboard: UIStoryboard
    let objects: InterfaceObjects
    private var viewElement: InterfaceElement? { element.children.first { $0.attributes["key"] == "view" } }
    var hasView: Bool { viewElement != nil }
    var segues: [InterfaceElement] { element.all.filter { $0.name == "segue" } }

    /// - Parameter others: the other objects of the scene, such as recognisers.
    init(
        _ element: InterfaceElement, others: [InterfaceElement], _ controller: UIViewController,
        _ storyboard: UIStoryboard
    ) {
        (self.element, self.storyboard) = (element, storyboard)
        objects = InterfaceObjects(owner: controller, module: UIStoryboard.appModule) {
            Transitions.shared.warn("UIStoryboard: \($0)")
        }
        objects.add(controller, for: element)
        objects.performSegue = { [weak self, weak controller] segue, sender in
            if let controller { self?.perform(segue, from: controller, sender: sender, asksController: true) }
        }
        objects.embed = { [weak self, weak controller] segue, container in
            if let controller { self?.embed(segue, in: container, of: controller) }
        }
        for other in others { _ = objects.makeOther(other) }
        setBars(of: controller)
    }

    private func setBars(of controller: UIViewController) {
        if let item = element.child("navigationItem", key: "navigationItem") {
            objects.add(controller.navigationItem, for: item)
            let buttons = { (name: String, keys: [String]) -> [UIBarButtonItem]? in
                let single = item.children.filter {
                    keys.contains($0.attributes["key"] ?? "") && $0.name == "barButtonItem"
                }
                let several = item.children.filter { keys.contains($0.attributes["key"] ?? "") }.flatMap(\.children)
                    .filter { $0.name == "barButtonItem" }
                let made = (single + several).compactMap { self.objects.makeOther($0) as? UIBarButtonItem }
                return made.isEmpty ? nil : made
            }
            if let left = buttons("left", ["leftBarButtonItem", "leftBarButtonItems"]) {
                controller.navigationItem.leftBarButtonItems = left
            }
            if let right = buttons("right", ["rightBarButtonItem", "rightBarButtonItems"]) {
                controller.navigationItem.rightBarButtonItems = right
            }
        }
        let toolbar = element.children(of: "toolbarItems").compactMap { objects.makeOther($0) as? UIBarButtonItem }
        if !toolbar.isEmpty { controller.toolbarItems = toolbar }
    }

    /// Makes the view of the controller, and sets its outlets.
    func loadView(of controller: UIViewController) {
        if let viewElement { controller.view = objects.makeView(viewElement) }
        objects.connect()
        objects.embedChildren()
    }

    // MARK: Segues

    func perform(
        _ segue: InterfaceElement, from source: UIViewController, sender: Any?, asksController: Bool = false
    ) {
        let identifier = segue.attributes["identifier"]
        if asksController, !source.shouldPerformSegue(withIdentifier: identifier ?? "", sender: sender) { return }
        if segue.attributes["kind"] == "unwind" { return unwind(segue, from: source, sender: sender) }
        guard let id = segue.attributes["destination"], let destination = storyboard.make(id) else {
            return Transitions.shared.warn(
                "UIStoryboard: the destination of the segue '\(identifier ?? "")' of \(source.name) cannot be made.")
        }
        let made = make(segue, source, destination) { [weak source] in
            guard let source else { return }
            switch segue.attributes["kind"] {
            case "presentation", "modal", "popoverPresentation", "custom":
                if let style = segue.attributes["modalPresentationStyle"].flatMap(StoryboardScene.style) {
                    destination.modalPresentationStyle = style
                }
                source.present(destination, animated: segue.attributes["animates"] != "NO")
            case "showDetail": source.showDetailViewController(destination, sender: sender)
            default: source.show(destination, sender: sender)
            }
        }
        source.prepare(for: made, sender: sender)
        made.perform()
    }

    private func make(
        _ segue: InterfaceElement, _ source: UIViewController, _ destination: UIViewController,
        _ body: @escaping () -> Void
    ) -> UIStoryboardSegue {
        UIStoryboardSegue(
            identifier: segue.attributes["identifier"], source: source, destination: destination, performHandler: body)
    }

    private static func style(_ name: String) -> UIModalPresentationStyle? {
        let all: [UIModalPresentationStyle] = [
            .fullScreen, .pageSheet, .formSheet, .currentContext, .custom, .overFullScreen, .overCurrentContext,
            .popover,
        ]
        return all.first { "\($0)" == name }
    }

    private func embed(_ segue: InterfaceElement, in container: UIView, of controller: UIViewController) {
        guard let id = segue.attributes["destination"], let child = storyboard.make(id) else { return }
        controller.addChild(child)
        controller.prepare(for: make(segue, controller, child) {}, sender: nil)
        container.addSubview(child.view)
        child.didMove(toParent: controller)
    }

    /// Goes back to the nearest controller that has the action.
    private func unwind(_ segue: InterfaceElement, from source: UIViewController, sender: Any?) {
        guard let action = segue.attributes["unwindAction"] else { return }
        var controller = source.previous
        while let candidate = controller {
            if let selector = InterfaceTable.action(action, of: candidate) {
                let made = make(segue, source, candidate) { candidate.showAgain() }
                source.prepare(for: made, sender: sender)
                selector.call(candidate, sender: made)
                return made.perform()
            }
            controller = candidate.previous
        }
        Transitions.shared.warn(
            "No view controller before \(source.name) has the unwind action \(action). Nothing happens.")
    }
}

extension UIViewController {
    /// The controller that was on screen before this one.
    fileprivate var previous: UIViewController? {
        if let stack = navigationController, let index = stack.viewControllers.firstIndex(where: { $0 === self }),
            index > 0
        {
            return stack.viewControllers[index - 1]
        }
        let presenter = presentingViewController
        switch presenter {
        case let stack as UINavigationController: return stack.topViewController
        case let tabs as UITabBarController:
            return (tabs.selectedViewController as? UINavigationController)?.topViewController
                ?? tabs.selectedViewController
        default: return presenter ?? parent
        }
    }

    /// Removes what is over this controller.
    fileprivate func showAgain() {
        if presentedViewController != nil { dismiss(animated: true) }
        if let stack = navigationController, stack.viewControllers.contains(where: { $0 === self }) {
            _ = stack.popToViewController(self, animated: true)
        }
    }
}
