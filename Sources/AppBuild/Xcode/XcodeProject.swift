package import Foundation

/// An Xcode project: its targets, the places of its files, and the packages that it uses.
package struct XcodeProject {
    /// The `.xcodeproj`.
    let file: URL
    let root: ProjectObject
    /// The place of each file and group, by its id.
    let places: [String: URL]
    private let objects: [String: [String: Any]]

    /// The folder to which the project's paths are relative.
    let folder: URL

    package init(_ file: URL) throws(BuildFailure) {
        let text = file.appendingPathComponent("project.pbxproj")
        guard let data = try? Data(contentsOf: text) else { throw BuildFailure("\(text.path) cannot be read.") }
        guard let list = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any],
            let objects = list["objects"] as? [String: [String: Any]],
            let root = (list["rootObject"] as? String).flatMap({ ProjectObject($0, among: objects) })
        else { throw BuildFailure("\(text.path) is no Xcode project: it has no objects or no rootObject.") }
        (self.file, self.root, self.objects) = (file, root, objects)
        folder = XcodeProject.folder(of: file, root)
        var finder = FilePlaces(root: folder)
        if let group = root.object("mainGroup") { finder.visit(group, in: folder) }
        places = finder.places
    }

    private static func folder(of file: URL, _ root: ProjectObject) -> URL {
        let parent = file.deletingLastPathComponent()
        guard let path = root["projectDirPath"], !path.isEmpty else { return parent }
        return URL(fileURLWithPath: path, isDirectory: true, relativeTo: parent).standardizedFileURL
    }

    /// Finds the app that is to be run.
    /// - Parameter name: the name of its target; nil if the project has only one app.
    func app(named name: String?) throws(BuildFailure) -> XcodeTarget {
        let apps = targets(of: XcodeProject.appType)
        let names = apps.map(\.name).joined(separator: ", ")
        if let name {
            guard let app = apps.first(where: { $0.name == name }) else {
                throw BuildFailure(
                    "\(file.path) has no app with the name \(name). Its apps: \(names.isEmpty ? "none" : names).")
            }
            return app
        }
        guard let app = apps.first else {
            throw BuildFailure("\(file.path) has no target for an app, but only libraries and tests.")
        }
        guard apps.count == 1 else {
            throw BuildFailure("\(file.path) has several apps: \(names). Say which: --target NAME")
        }
        return app
    }

    static let appType = "com.apple.product-type.application"

    private func targets(of type: String) -> [XcodeTarget] {
        root.objects("targets").filter { $0["productType"] == type }.map { XcodeTarget(project: self, object: $0) }
    }

    /// Finds the targets with unit tests of one app, or of libraries if the project has no app.
    /// - Parameter name: the name of the app's target; nil if the project has at most one app.
    func unitTests(of name: String?) throws(BuildFailure) -> [XcodeTarget] {
        let all = targets(of: "com.apple.product-type.bundle.unit-test")
        let isLibrary = name == nil && targets(of: XcodeProject.appType).isEmpty
        let app = isLibrary ? nil : try app(named: name)
        let tests = all.filter { $0.app?.name == app?.name }
        guard !tests.isEmpty else {
            let others = targets(of: "com.apple.product-type.bundle.ui-testing").map(\.name).joined(separator: ", ")
            throw BuildFailure(
                "\(file.path) has no target with unit tests\(app.map { " of \($0.name)" } ?? ""). "
                    + (others.isEmpty
                        ? ""
                        : "\(others) drives the app as a user does, which only Xcode can run: write flows instead, "
                            + "bridged test --app."))
        }
        return tests
    }

    func object(_ id: String) -> ProjectObject? { ProjectObject(id, among: objects) }

    /// The file with the versions of the packages that Xcode has chosen, if there is one.
    var resolvedPackages: URL {
        file.appendingPathComponent("project.xcworkspace/xcshareddata/swiftpm/Package.resolved")
    }
}

/// Follows a project's groups to find the places of its files.
private struct FilePlaces {
    let root: URL
    private(set) var places: [String: URL] = [:]

    init(root: URL) { self.root = root }

    /// Visits a group, what it has, and so on. A list takes the place of recursion, however deep the groups are.
    mutating func visit(_ object: ProjectObject, in parent: URL) {
        var open = [(object: object, parent: parent)]
        while let (object, parent) = open.popLast() {
            guard places[object.id] == nil else { continue }
            let place = place(of: object, in: parent)
            places[object.id] = place
            open += object.objects("children").reversed().map { (object: $0, parent: place) }
        }
    }

    private func place(of object: ProjectObject, in parent: URL) -> URL {
        guard let path = object["path"] else { return parent }
        let base =
            switch object["sourceTree"] {
            case "SOURCE_ROOT": root
            case "<absolute>": URL(fileURLWithPath: "/")
            default: parent
            }
        return base.appendingPathComponent(path).standardizedFileURL
    }
}
