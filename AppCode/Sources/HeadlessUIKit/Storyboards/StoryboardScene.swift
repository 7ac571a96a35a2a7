import Foundation
import HeadlessViews

/// The scene of a storyboard that a controller was made from.
@MainActor final class StoryboardScene {
    private let element: InterfaceElement
    private let others: [InterfaceElement]
    private let storyboard: UIStoryboard
    /// This controller and those that it is in.
    private let parents: Set<String>
    private let objects: InterfaceObjects
    private var connections: InterfaceConnections { objects.connections }
    /// The objects at the top of the scene, which nobody else retains.
    private var top: [AnyObject] = []
    private var viewElement: InterfaceElement? { element.children.first { $0.attributes["key"] == "view" } }
    var hasView: Bool { viewElement != nil }

    /// - Parameter parents: this controller and those that it is in.
    init(
        _ description: StoryboardFile.Controller, _ controller: UIViewController, _ storyboard: UIStoryboard,
        within parents: Set<String>
    ) {
        (element, others, self.storyboard, self.parents) = (
            description.element, description.others, storyboard, parents
        )
        let report = { (text: String) in Transitions.shared.warn("UIStoryboard: \(text)") }
        let connections = InterfaceConnections(owner: controller, elements: [element] + others, report: report)
        objects = InterfaceObjects(connections, module: UIStoryboard.appModule, report: report)
        connections.performSegue = { [weak self, weak controller] segue, sender in
            if let controller { self?.perform(segue, from: controller, sender: sender, asksController: true) }
        }
        connections.embed = { [weak self, weak controller] segue, container in
            if let controller { self?.embed(segue, in: container, of: controller) }
        }
        connections.add(controller, for: element)
        objects.setRuntimeAttributes(element, of: controller)
        addBars(of: controller)
        for other in others { addTop(other) }
    }

    private func addTop(_ other: InterfaceElement) {
        if other.name == "placeholder" {
            connections.addOwner(for: other)
        } else if other.name != "exit", let made = objects.makeTop(other) {
            top.append(made)
        }
    }

    private func addBars(of controller: UIViewController) {
        if let item = element.child("navigationItem", key: "navigationItem") {
            objects.fill(controller.navigationItem, from: item)
        }
        if let item = element.child("tabBarItem", key: "tabBarItem") {
            connections.add(controller.tabBarItem, for: item)
        }
        if let bar = element.child("navigationBar"), let stack = controller as? UINavigationController {
            connections.add(stack.navigationBar, for: bar)
        }
        if let bar = element.child("tabBar"), let tabs = controller as? UITabBarController {
            connections.add(tabs.tabBar, for: bar)
        }
        let toolbar = objects.makeButtons(element.children(of: "toolbarItems"))
        if !toolbar.isEmpty { controller.toolbarItems = toolbar }
    }

    /// Connects what does not need the view, and tells the controller that it has been made.
    func connect() { connections.connect(viewFollows: hasView) }

    /// Makes the view of the controller, and sets its outlets.
    func loadView(of controller: UIViewController) {
        if let viewElement { controller.view = objects.makeView(viewElement) }
        connections.connect()
        connections.embedChildren()
    }

    // MARK: Segues

    func segue(_ identifier: String) -> InterfaceElement? {
        ([element] + others).lazy.flatMap(\.all).first {
            $0.name == "segue" && $0.attributes["identifier"] == identifier
        }
    }

    func perform(
        _ segue: InterfaceElement, from source: UIViewController, sender: Any?, asksController: Bool = false
    ) {
        let identifier = segue.attributes["identifier"]
        if asksController, !source.shouldPerformSegue(withIdentifier: identifier ?? "", sender: sender) { return }
        if segue.attributes["kind"] == "unwind" { return unwind(segue, from: source, sender: sender) }
        guard let destination = storyboard.makeDestination(of: segue, from: source, sender: sender) else {
            return Transitions.shared.warn(
                "UIStoryboard: the destination of the segue '\(identifier ?? "")' of \(source.name) cannot be made.")
        }
        if segue.presents { setPresentation(segue, of: destination, sender: sender) }
        let made = make(segue, source, destination) { [weak source] in
            guard let source else { return }
            if segue.presents {
                source.present(destination, animated: segue.attributes["animates"] != "NO")
            } else if segue.attributes["kind"] == "showDetail" {
                source.showDetailViewController(destination, sender: sender)
            } else {
                source.show(destination, sender: sender)
            }
        }
        source.prepare(for: made, sender: sender)
        made.perform()
    }

    private func make(
        _ segue: InterfaceElement, _ source: UIViewController, _ destination: UIViewController,
        _ body: @escaping () -> Void
    ) -> UIStoryboardSegue {
        storyboard.segueType(of: segue).init(
            UIStoryboardSegue.Parts(
                identifier: segue.attributes["identifier"], source: source, destination: destination, perform: body))
    }

    /// Sets how the destination is presented, before the app's `prepare(for:sender:)`, which may change it.
    private func setPresentation(_ segue: InterfaceElement, of destination: UIViewController, sender: Any?) {
        InterfaceAttributes.setPresentation(segue, of: destination)
        guard segue.isPopover else { return }
        destination.modalPresentationStyle = .popover
        let view = connections.object(segue.attributes["popoverAnchorView"])
        let item = connections.object(segue.attributes["popoverAnchorBarButtonItem"])
        let popover = destination.popoverPresentationController
        popover?.barButtonItem = item as? UIBarButtonItem ?? sender as? UIBarButtonItem
        popover?.sourceView = view as? UIView ?? sender as? UIView
    }

    private func embed(_ segue: InterfaceElement, in container: UIView, of controller: UIViewController) {
        guard let child = storyboard.makeDestination(of: segue, from: controller, sender: nil, within: parents) else {
            return Transitions.shared.warn(
                "UIStoryboard: a container of \(controller.name) stays empty, because its controller cannot be made.")
        }
        let made = make(segue, controller, child) {
            controller.addChild(child)
            container.addSubview(child.view)
            child.didMove(toParent: controller)
        }
        controller.prepare(for: made, sender: nil)
        made.perform()
    }

    // MARK: Unwinding

    /// Goes back to the nearest controller that has the action.
    private func unwind(_ segue: InterfaceElement, from source: UIViewController, sender: Any?) {
        guard let action = segue.attributes["unwindAction"] else { return }
        for candidate in source.controllersBefore {
            guard let selector = InterfaceTable.action(action, of: candidate) else { continue }
            let made = make(segue, source, candidate) { candidate.showAgain() }
            source.prepare(for: made, sender: sender)
            selector.call(candidate, sender: made)
            return made.perform()
        }
        Transitions.shared.warn(
            "No view controller before \(source.name) has the unwind action \(action). Nothing happens.")
    }
}

extension InterfaceElement {
    /// Whether a segue presents its destination.
    fileprivate var presents: Bool {
        ["presentation", "modal", "custom"].contains(attributes["kind"]) || isPopover
    }
    fileprivate var isPopover: Bool { ["popoverPresentation", "popover"].contains(attributes["kind"]) }
}

extension UIViewController {
    /// The controllers that an unwind segue may lead to, the nearest first: the others in the container of this one and then
    /// the container, and so on outwards. What has presented a container comes after it.
    fileprivate var controllersBefore: [UIViewController] {
        var (found, current) = ([UIViewController](), self)
        while let next = current.presenter ?? current.parent {
            found += next.withDescendants(except: current)
            current = next
        }
        return found
    }

    /// The newest children first, each before what contains it.
    private func withDescendants(except left: UIViewController? = nil) -> [UIViewController] {
        children.reversed().filter { $0 !== left }.flatMap { $0.withDescendants() } + [self]
    }

    /// Removes what is over this controller.
    fileprivate func showAgain() {
        if presentedViewController != nil { dismiss(animated: true) }
        var child = self
        while let parent = child.parent {
            if let stack = parent as? UINavigationController {
                if stack.topViewController !== child { _ = stack.popToViewController(child, animated: true) }
            } else if let tabs = parent as? UITabBarController {
                tabs.selectedViewController = child
            }
            child = parent
        }
    }
}
