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

    /// - Parameter creator: makes the controller itself; if it returns nil, the storyboard's class is made.
    open func instantiateInitialViewController<Controller: UIViewController>(
        creator: ((NSCoder) -> Controller?)?
    ) -> Controller? {
        creator?(NSCoder()) ?? instantiateInitialViewController() as? Controller
    }

    /// UIKit raises an exception for an identifier that the storyboard lacks; here an empty controller and a warning come.
    open func instantiateViewController(withIdentifier identifier: String) -> UIViewController {
        let found = file?.controllers.first { $0.identifier == identifier }
        guard let found, let controller = make(found.id) else {
            report("The storyboard '\(name)' has no view controller with the identifier '\(identifier)'.")
            return UIViewController()
        }
        return controller
    }

    /// - Parameter creator: makes the controller itself; if it returns nil, the storyboard's class is made.
    open func instantiateViewController<Controller: UIViewController>(
        identifier: String, creator: ((NSCoder) -> Controller?)? = nil
    ) -> Controller {
        if let created = creator?(NSCoder()) { return created }
        let made = instantiateViewController(withIdentifier: identifier)
        guard let controller = made as? Controller ?? Controller(coder: NSCoder()) else {
            fatalError(
                "'\(identifier)' of the storyboard '\(name)' is a \(made), and the app wants a \(Controller.self).")
        }
        return controller
    }

    // MARK: Making controllers

    /// - Parameter parents: the controllers that this one is in, so that a file whose controllers contain each other in
    ///   a circle comes to an end.
    func make(_ id: String, within parents: Set<String> = []) -> UIViewController? {
        guard !parents.contains(id), let description = file?.controllers.first(where: { $0.id == id }) else {
            return nil
        }
        let type = type(for: description)
        guard let controller = type.init(coder: NSCoder()) else {
            report("\(type) returned nil from init(coder:).")
            return nil
        }
        controller.storyboard = self
        if let title = description.title { controller.title = title }
        if let title = description.navigationTitle { controller.navigationItem.title = title }
        if let title = description.tabTitle { controller.tabBarItem.title = title }
        add(description.children.compactMap { make($0, within: parents.union([id])) }, to: controller)
        controller.scene = StoryboardScene(description.element, others: description.others, controller, self)
        return controller
    }

    private func add(_ children: [UIViewController], to controller: UIViewController) {
        guard !children.isEmpty else { return }
        if let navigation = controller as? UINavigationController {
            navigation.setViewControllers(children, animated: false)
        } else if let tabs = controller as? UITabBarController {
            tabs.setViewControllers(children, animated: false)
        }
    }

    private func type(for description: StoryboardFile.Controller) -> UIViewController.Type {
        guard let name = description.customClass else {
            return StoryboardFile.types[description.kind] ?? UIViewController.self
        }
        let module = description.customModule ?? UIStoryboard.appModule
        if let found = NSClassFromString("\(module).\(name)") as? UIViewController.Type { return found }
        report(
            "Unknown class \(name) in the storyboard '\(self.name)': the module \(module) has no such view controller.")
        return StoryboardFile.types[description.kind] ?? UIViewController.self
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
