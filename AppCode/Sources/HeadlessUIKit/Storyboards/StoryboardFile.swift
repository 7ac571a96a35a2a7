import Foundation
import FoundationXML

/// What a `.storyboard` file says about its view controllers. Their views, outlets and other segues are not read.
struct StoryboardFile {
    struct Controller {
        let id: String
        /// The element's name, such as `navigationController`.
        let kind: String
        /// The app's class; nil for UIKit's own.
        let customClass: String?
        /// The module of the class; nil if it is the app's own, which may have another name here.
        let customModule: String?
        /// What `instantiateViewController(withIdentifier:)` wants.
        let identifier: String?
        var title: String?
        var navigationTitle: String?
        var tabTitle: String?
        /// The ids of a navigation controller's root, or of a tab bar controller's tabs, in their order.
        var children: [String] = []
        /// Whether the file describes views or outlets, which are not made.
        var hasViews = false
    }

    private(set) var initial: String?
    private(set) var controllers: [Controller] = []

    /// - Returns: nil if the data is no storyboard.
    init?(_ data: Data) {
        let reader = Reader()
        let parser = XMLParser(data: data)
        parser.delegate = reader
        guard parser.parse(), reader.isStoryboard else { return nil }
        (initial, controllers) = (reader.initial, reader.controllers)
    }

    /// The file of a bundle, which has it beside its other resources or in the folder of a language.
    static func find(_ name: String, in bundle: Bundle) -> StoryboardFile? {
        let folder = bundle.resourceURL ?? bundle.bundleURL
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
        let folders = ["Base.lproj"] + names.filter { $0.hasSuffix(".lproj") && $0 != "Base.lproj" }
        let paths = ["\(name).storyboard"] + folders.map { "\($0)/\(name).storyboard" }
        return paths.lazy.compactMap { try? Data(contentsOf: folder.appendingPathComponent($0)) }.first
            .flatMap(StoryboardFile.init)
    }
}

/// Reads the elements of a storyboard one after the other.
private final class Reader: NSObject, XMLParserDelegate {
    private(set) var isStoryboard = false
    private(set) var initial: String?
    private(set) var controllers: [StoryboardFile.Controller] = []
    /// The controller that the parser is in. Controllers do not contain each other.
    private var current: StoryboardFile.Controller?

    func parser(
        _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        if element == "document" {
            isStoryboard = attributes["type"]?.contains("Storyboard") == true
            initial = attributes["initialViewController"]
        } else if attributes["sceneMemberID"] == "viewController", let id = attributes["id"] {
            current = StoryboardFile.Controller(id: id, element, attributes)
        } else {
            current?.read(element, attributes)
        }
    }

    func parser(_ parser: XMLParser, didEndElement element: String, namespaceURI: String?, qualifiedName: String?) {
        guard let controller = current, controller.kind == element else { return }
        controllers.append(controller)
        current = nil
    }
}

extension StoryboardFile.Controller {
    fileprivate init(id: String, _ element: String, _ attributes: [String: String]) {
        self.id = id
        kind = element
        customClass = attributes["customClass"]
        customModule = attributes["customModuleProvider"] == "target" ? nil : attributes["customModule"]
        identifier = attributes["storyboardIdentifier"]
        title = attributes["title"]
    }

    /// Takes what an element within the controller says.
    fileprivate mutating func read(_ element: String, _ attributes: [String: String]) {
        switch (element, attributes["key"]) {
        case ("navigationItem", "navigationItem"): navigationTitle = attributes["title"]
        case ("tabBarItem", "tabBarItem"): tabTitle = attributes["title"]
        case ("segue", _) where attributes["kind"] == "relationship":
            if let child = attributes["destination"] { children.append(child) }
        case ("subviews", _), ("outlet", _), ("segue", _): hasViews = true
        default: break
        }
    }
}
