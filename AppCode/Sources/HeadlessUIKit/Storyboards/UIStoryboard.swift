public import Foundation

/// A storyboard of the app: its view controllers with their views, outlets, actions and segues. Nothing is laid out.
@preconcurrency @MainActor open class UIStoryboard: NSObject {
    private let name: String
    private let bundle: Bundle
    private let file: StoryboardFile?

    /// - Parameter name: the file's name without `.storyboard`. UIKit raises an exception if the bundle, or the main one
    ///   if it is nil, has no such file; here a warning says so, and there are no controllers.
    public init(name: String, bundle: Bundle?) {
        self.name = name
        self.bundle = bundle ?? .main
        file = StoryboardFile.find(name, in: self.bundle)
        super.init()
        if file == nil { report("Could not find a storyboard named '\(name)' in \(self.bundle.bundlePath).") }
    }

    /// - Returns: nil if the storyboard has no initial view controller.
    open func instantiateInitialViewController() -> UIViewController? { file?.initial.flatMap { make($0) } }

    /// - Parameter creator: makes the controller itself, which then gets everything that the storyboard says about it. If
    ///   it returns nil, the storyboard's class is made.
    open func instantiateInitialViewController<Controller: UIViewController>(
        creator: ((NSCoder) -> Controller?)?
    ) -> Controller? {
        file?.initial.flatMap { make($0) { creator?($0) } } as? Controller
    }

    /// UIKit raises an exception for an identifier that the storyboard lacks; here an empty controller and a warning come.
    open func instantiateViewController(withIdentifier identifier: String) -> UIViewController {
        make(identifier: identifier) ?? UIViewController()
    }

    /// - Parameter creator: makes the controller itself, which then gets everything that the storyboard says about it. If
    ///   it returns nil, the storyboard's class is made.
    open func instantiateViewController<Controller: UIViewController>(
        identifier: String, creator: ((NSCoder) -> Controller?)? = nil
    ) -> Controller {
        let made = make(identifier: identifier) { creator?($0) }
        guard let controller = made as? Controller ?? Controller(coder: NSCoder()) else {
            fatalError(
                "'\(identifier)' of the storyboard '\(name)' is a \(made?.name ?? "missing one"), and the app wants a "
                    + "\(Controller.self).")
        }
        return controller
    }

    // MARK: Making controllers

    /// Makes a controller itself, in place of its class's `init(coder:)`.
    typealias Creator = (NSCoder) -> UIViewController?

    /// - Parameter parents: the controllers that this one is in, so that a file whose controllers contain each other in
    ///   a circle comes to an end.
    private func make(_ id: String, within parents: Set<String> = [], creator: Creator? = nil) -> UIViewController? {
        guard let description = file?.controllers.first(where: { $0.id == id }) else {
            report("The storyboard '\(name)' has no view controller with the id '\(id)'.")
            return nil
        }
        let path = parents.union(["\(name)/\(id)"])
        guard path.count > parents.count else {
            report("A \(description.customClass ?? description.kind) of the storyboard '\(name)' contains itself.")
            return nil
        }
        if description.kind == "viewControllerPlaceholder" {
            return makeReferenced(description.element, within: path, creator: creator)
        }
        guard let controller = creator?(NSCoder()) ?? instance(of: description) else { return nil }
        fill(controller, from: description, within: path)
        return controller
    }

    /// - Parameter identifier: nil for the initial controller.
    private func make(
        identifier: String?, within parents: Set<String> = [], creator: Creator? = nil
    ) -> UIViewController? {
        let found = identifier.map { name in file?.controllers.first { $0.identifier == name }?.id } ?? file?.initial
        guard let found else {
            let which = identifier.map { "view controller with the identifier '\($0)'" } ?? "initial view controller"
            report("The storyboard '\(name)' has no \(which).")
            return nil
        }
        return make(found, within: parents, creator: creator)
    }

    /// Makes the controller of another storyboard that a reference leads to.
    private func makeReferenced(
        _ element: InterfaceElement, within parents: Set<String>, creator: Creator?
    ) -> UIViewController? {
        let bundle = element.attributes["bundleIdentifier"].flatMap { Bundle(identifier: $0) } ?? bundle
        let storyboard = element.attributes["storyboardName"].map { UIStoryboard(name: $0, bundle: bundle) } ?? self
        return storyboard.make(
            identifier: element.attributes["referencedIdentifier"], within: parents, creator: creator)
    }

    /// Makes the destination of a segue, by the segue action of the source if the segue names one.
    func makeDestination(
        of segue: InterfaceElement, from source: UIViewController, sender: Any?, within parents: Set<String> = []
    ) -> UIViewController? {
        guard let id = segue.attributes["destination"] else { return nil }
        guard let name = segue.attributes["destinationCreationSelector"] else { return make(id, within: parents) }
        guard let action = InterfaceTable.segueAction(name, of: source) else {
            report("\(source.name) has no segue action \(name).")
            return make(id, within: parents)
        }
        return make(id, within: parents) { action.make(source, $0, sender, segue.attributes["identifier"]) }
    }

    private func fill(
        _ controller: UIViewController, from description: StoryboardFile.Controller, within parents: Set<String>
    ) {
        controller.storyboard = self
        if let title = description.title { controller.title = title }
        if let title = description.navigationTitle { controller.navigationItem.title = title }
        if let title = description.tabTitle { controller.tabBarItem.title = title }
        InterfaceAttributes.set(description.element, on: controller)
        add(
            description.relationships.compactMap {
                makeDestination(of: $0, from: controller, sender: nil, within: parents)
            }, to: controller)
        let scene = StoryboardScene(description, controller, self, within: parents)
        controller.scene = scene
        scene.connect()
    }

    private func add(_ children: [UIViewController], to controller: UIViewController) {
        guard !children.isEmpty else { return }
        switch controller {
        case let stack as UINavigationController: stack.setViewControllers(children, animated: false)
        case let tabs as UITabBarController: tabs.setViewControllers(children, animated: false)
        case let split as UISplitViewController: split.viewControllers = children
        default: report("A \(controller.name) contains no controllers of a storyboard here.")
        }
    }

    private func instance(of description: StoryboardFile.Controller) -> UIViewController? {
        let type = type(for: description)
        let made = type.init(coder: NSCoder())
        if made == nil { report("\(type) returned nil from init(coder:).") }
        return made
    }

    private func type(for description: StoryboardFile.Controller) -> UIViewController.Type {
        if let name = description.customClass {
            let module = description.element.classModule ?? UIStoryboard.appModule
            if let found = NSClassFromString("\(module).\(name)") as? UIViewController.Type { return found }
            report(
                "Unknown class \(name) in the storyboard '\(self.name)': the module \(module) has no such view controller."
            )
        }
        if let type = StoryboardFile.types[description.kind] { return type }
        report("UIKit has no class for a \(description.kind) here. An empty view controller takes its place.")
        return UIViewController.self
    }

    /// The class of a segue, which is an app's own if the storyboard says so.
    func segueType(of segue: InterfaceElement) -> UIStoryboardSegue.Type {
        guard let name = segue.attributes["customClass"] else { return UIStoryboardSegue.self }
        let module = segue.classModule ?? UIStoryboard.appModule
        if let found = NSClassFromString("\(module).\(name)") as? UIStoryboardSegue.Type { return found }
        report("Unknown class \(name) in the storyboard '\(self.name)': the module \(module) has no such segue.")
        return UIStoryboardSegue.self
    }

    /// The app's own module. `bridged run` names the executable after it.
    static var appModule = Bundle.main.executableURL?.lastPathComponent ?? ""

    private func report(_ text: String) { Transitions.shared.warn("UIStoryboard: \(text)") }
}

extension StoryboardFile {
    /// UIKit's classes for the elements of a storyboard.
    @MainActor fileprivate static let types: [String: UIViewController.Type] = [
        "viewController": UIViewController.self, "navigationController": UINavigationController.self,
        "tabBarController": UITabBarController.self, "tableViewController": UITableViewController.self,
        "splitViewController": UISplitViewController.self,
    ]
}
