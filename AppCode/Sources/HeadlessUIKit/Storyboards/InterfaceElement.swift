import Foundation
import FoundationXML

/// An element of a storyboard or of a nib, which are XML.
final class InterfaceElement {
    let name: String
    let attributes: [String: String]
    private(set) var children: [InterfaceElement] = []
    /// What is between its tags: a text of several lines.
    private(set) var content = ""

    private init(_ name: String, _ attributes: [String: String]) { (self.name, self.attributes) = (name, attributes) }

    var id: String? { attributes["id"] }

    /// The module of the app's class; nil if it is the app's own module, which may have another name here.
    var classModule: String? {
        attributes["customModuleProvider"] == "target" ? nil : attributes["customModule"]
    }

    func isTrue(_ attribute: String) -> Bool { attributes[attribute] == "YES" }

    func child(_ name: String, key: String? = nil) -> InterfaceElement? {
        children.first { $0.name == name && (key == nil || $0.attributes["key"] == key) }
    }

    /// The children of the child with that name.
    func children(of name: String) -> [InterfaceElement] { child(name)?.children ?? [] }

    /// The element and those below it.
    var all: [InterfaceElement] { [self] + children.flatMap(\.all) }

    /// - Returns: nil if the data is no XML.
    static func parse(_ data: Data) -> InterfaceElement? {
        let reader = Reader()
        let parser = XMLParser(data: data)
        parser.delegate = reader
        return parser.parse() ? reader.root : nil
    }

    private final class Reader: NSObject, XMLParserDelegate {
        private(set) var root: InterfaceElement?
        private var path: [InterfaceElement] = []

        func parser(
            _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            let new = InterfaceElement(element, attributes)
            path.last?.children.append(new)
            if root == nil { root = new }
            path.append(new)
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) { path.last?.content += string }

        func parser(_ parser: XMLParser, didEndElement element: String, namespaceURI: String?, qualifiedName: String?) {
            _ = path.popLast()
        }
    }

    /// The file of a bundle, which has it beside its other resources or in the folder of a language.
    static func find(_ file: String, in bundle: Bundle) -> InterfaceElement? {
        let folder = bundle.resourceURL ?? bundle.bundleURL
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
        let folders = ["Base.lproj"] + names.filter { $0.hasSuffix(".lproj") && $0 != "Base.lproj" }
        let paths = [file] + folders.map { "\($0)/\(file)" }
        return paths.lazy.compactMap { try? Data(contentsOf: folder.appendingPathComponent($0)) }.first.flatMap(parse)
    }
}
