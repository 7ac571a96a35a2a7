import Foundation

/// An app as its project describes it: its own modules, what it has in `Bundle.main`, and the packages that it needs.
package struct AppSource {
    /// The app's module comes first.
    var modules: [AppModule]
    var resources: [AppModule.File] = []
    var infoPlist: Data?
    /// The products of packages that each module uses, by the module's name.
    var products: [(module: String, product: String, package: String?)] = []
    var packages: [PackageReference] = []
    var pins = PackagePins()
    /// Files that have no meaning on Linux.
    var unsupported: [URL] = []
    /// The shared schemes that run the app, by name.
    var schemes: [XcodeScheme] = []
    /// The variables of the environment that the scheme sets.
    private(set) var environment: [String: String] = [:]
    /// The names of targets of other projects that the app depends on.
    var otherTargets: Set<String> = []

    /// The name of the app, or of the package or project whose tests are run.
    var name = ""

    /// Reads a `.xcodeproj`, a `.xcworkspace`, a `Package.swift`, or a folder that has one of them.
    /// - Parameter hasTests: whether its unit tests are wanted, too. They need no app: a library may have them.
    static func read(
        _ path: String, target: String?, hasTests: Bool = false, cache: URL
    ) throws(BuildFailure) -> AppSource {
        let file = URL(fileURLWithPath: path).standardizedFileURL
        guard FileManager.default.fileExists(atPath: file.path) else {
            throw BuildFailure("\(file.path) does not exist.")
        }
        switch file.pathExtension {
        case "xcodeproj":
            return try AppSource(XcodeProject(file), target: target, hasTests: hasTests, pins: nil)
        case "xcworkspace":
            let project = try XcodeWorkspace.project(in: file, with: target)
            return try AppSource(
                project, target: target, hasTests: hasTests,
                pins: file.appendingPathComponent("xcshareddata/swiftpm/Package.resolved"))
        default:
            guard file.lastPathComponent != "Package.swift" else {
                let folder = file.deletingLastPathComponent()
                return try AppSource(package: folder, target: target, hasTests: hasTests, cache: cache)
            }
            return try read(folder: file, target: target, hasTests: hasTests, cache: cache)
        }
    }

    private static func read(
        folder: URL, target: String?, hasTests: Bool, cache: URL
    ) throws(BuildFailure) -> AppSource {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
        for kind in ["xcworkspace", "xcodeproj"] {
            let found = names.filter { $0.hasSuffix(".\(kind)") }
            if found.count > 1 {
                throw BuildFailure("\(folder.path) has several projects: \(found.joined(separator: ", ")). Name one.")
            }
            if let only = found.first {
                let file = folder.appendingPathComponent(only).path
                return try read(file, target: target, hasTests: hasTests, cache: cache)
            }
        }
        guard names.contains("Package.swift") else {
            throw BuildFailure("\(folder.path) has no .xcodeproj, no .xcworkspace and no Package.swift.")
        }
        return try AppSource(package: folder, target: target, hasTests: hasTests, cache: cache)
    }

    /// Takes the environment of a scheme.
    /// - Parameter name: nil for the first, if there is one.
    /// - Returns: which one was taken, if they differ and none was named.
    mutating func choose(scheme name: String?) throws(BuildFailure) -> String? {
        let names = schemes.map(\.name).joined(separator: ", ")
        guard let scheme = name == nil ? schemes.first : schemes.first(where: { $0.name == name }) else {
            guard let name else { return nil }
            throw BuildFailure(
                "There is no shared scheme \(name) that runs the app. "
                    + (names.isEmpty ? "There is none at all: leave out --scheme." : "There are: \(names)."))
        }
        environment = scheme.environment
        guard name == nil, schemes.contains(where: { $0.environment != scheme.environment }) else { return nil }
        return "The environment is that of the scheme \(scheme.name). Another one: --scheme NAME, of \(names)."
    }

    /// The origins of http and https with which strings begin in the app's own sources and in its Info.plist, such as
    /// `https://example.com`.
    package var origins: [String] {
        let inSources = texts(of: modules).flatMap {
            $0.matches(of: /"(https?:\/\/[A-Za-z0-9.:\[\]-]+)/).map { String($0.1) }
        }
        let list = infoPlist.flatMap { try? PropertyListSerialization.propertyList(from: $0, format: nil) }
        let inList = AppSource.strings(in: list).compactMap {
            $0.prefixMatch(of: /https?:\/\/[A-Za-z0-9.:\[\]-]+/).map { String($0.0) }
        }
        return Set(inSources + inList).sorted()
    }

    /// The texts of a property list, without its keys.
    private static func strings(in value: Any?) -> [String] {
        switch value {
        case let text as String: [text]
        case let list as [Any]: list.flatMap(strings)
        case let dictionary as [String: Any]: dictionary.values.flatMap(strings)
        default: []
        }
    }

    /// The libraries that its tests import.
    var testLibraries: [TestLibrary] {
        let lines = texts(of: modules.filter { $0.kind == .tests }).flatMap { $0.split(whereSeparator: \.isNewline) }
        return TestLibrary.allCases.filter { library in lines.contains { $0.hasPrefix("import \(library.rawValue)") } }
    }

    private func texts(of modules: [AppModule]) -> [String] {
        modules.flatMap(\.sources).compactMap { try? String(contentsOf: $0.file, encoding: .utf8) }
    }
}
