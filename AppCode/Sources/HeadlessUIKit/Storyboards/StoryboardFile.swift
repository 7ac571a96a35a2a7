import Foundation

/// What a `.storyboard` file says about its view controllers.
struct StoryboardFile {
    struct Controller {
        let id: String
        /// The element's name, such as `navigationController`.
        let kind: String
        /// The app's class; nil for UIKit's own.
        let customClass: String?
        /// What `instantiateViewController(withIdentifier:)` wants.
        let identifier: String?
        let title: String?
        let navigationTitle: String?
        let tabTitle: String?
        /// The segues to a navigation controller's root, or to a tab bar controller's tabs, in their order.
        let relationships: [InterfaceElement]
        let element: InterfaceElement
        /// The other objects of the scene, such as recognisers and placeholders.
        let others: [InterfaceElement]
    }

    let initial: String?
    let controllers: [Controller]

    /// - Returns: nil if the element is no storyboard.
    init?(_ document: InterfaceElement) {
        guard document.name == "document", document.attributes["type"]?.contains("Storyboard") == true else {
            return nil
        }
        initial = document.attributes["initialViewController"]
        controllers = document.children(of: "scenes").flatMap { scene in
            let objects = scene.children(of: "objects")
            let isController = { (object: InterfaceElement) in object.attributes["sceneMemberID"] == "viewController" }
            let others = objects.filter { !isController($0) }
            return objects.filter(isController).compactMap { Controller($0, others: others) }
        }
    }

    /// The file of a bundle.
    static func find(_ name: String, in bundle: Bundle) -> StoryboardFile? {
        InterfaceElement.find("\(name).storyboard", in: bundle).flatMap(StoryboardFile.init)
    }
}

extension StoryboardFile.Controller {
    fileprivate init?(_ element: InterfaceElement, others: [InterfaceElement]) {
        guard let id = element.id else { return nil }
        let attributes = element.attributes
        (self.id, kind, self.element, self.others) = (id, element.name, element, others)
        customClass = attributes["customClass"]
        identifier = attributes["storyboardIdentifier"]
        title = attributes["title"]
        navigationTitle = element.child("navigationItem", key: "navigationItem")?.attributes["title"]
        tabTitle = element.child("tabBarItem", key: "tabBarItem")?.attributes["title"]
        relationships = element.children(of: "connections")
            .filter { $0.name == "segue" && $0.attributes["kind"] == "relationship" }
    }
}
