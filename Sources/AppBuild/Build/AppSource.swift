import Foundation

/// An app as its project describes it: its own modules, what it has in `Bundle.main`, and the packages that it needs.
struct AppSource {
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

    var name: String { modules.first?.name ?? "App" }

    /// Reads a `.xcodeproj`, a `.xcworkspace`, a `Package.swift`, or a folder that has one of them.
    static func read(_ path: String, target: String?, cache: URL) throws(BuildFailure) -> AppSource {
        let file = URL(fileURLWithPath: path).standardizedFileURL
        guard FileManager.default.fileExists(atPath: file.path) else {
            throw BuildFailure("\(file.path) does not exist.")
        }
        switch file.pathExtension {
        case "xcodeproj":
            return try AppSource(XcodeProject(file).app(named: target), pins: nil)
        case "xcworkspace":
            let project = try XcodeWorkspace.project(in: file, with: target)
            return try AppSource(
                project.app(named: target),
                pins: file.appendingPathComponent("xcshareddata/swiftpm/Package.resolved"))
        default:
            guard file.lastPathComponent != "Package.swift" else {
                return try AppSource(package: file.deletingLastPathComponent(), target: target, cache: cache)
            }
            return try read(folder: file, target: target, cache: cache)
        }
    }

    private static func read(folder: URL, target: String?, cache: URL) throws(BuildFailure) -> AppSource {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
        for kind in ["xcworkspace", "xcodeproj"] {
            let found = names.filter { $0.hasSuffix(".\(kind)") }
            if found.count > 1 {
                throw BuildFailure("\(folder.path) has several projects: \(found.joined(separator: ", ")). Name one.")
            }
            if let only = found.first {
                return try read(folder.appendingPathComponent(only).path, target: target, cache: cache)
            }
        }
        guard names.contains("Package.swift") else {
            throw BuildFailure("\(folder.path) has no .xcodeproj, no .xcworkspace and no Package.swift.")
        }
        return try AppSource(package: folder, target: target, cache: cache)
    }

    // MARK: Of Xcode

    init(_ target: XcodeTarget, pins file: URL?) throws(BuildFailure) {
        modules = []
        let resolved = [file, target.project.resolvedPackages].compactMap(\.self)
        let existing = resolved.first { FileManager.default.fileExists(atPath: $0.path) }
        pins = try existing.map { file throws(BuildFailure) in try PackagePins(file) } ?? PackagePins()
        packages = target.project.packages
        try add(target, isApp: true)
        infoPlist = try InfoPlist(target).data
    }

    private mutating func add(_ target: XcodeTarget, isApp: Bool) throws(BuildFailure) {
        let (settings, files) = (target.settings, target.files)
        var module = AppModule(name: settings.moduleName, isApp: isApp)
        guard !modules.contains(where: { $0.name == module.name }) else { return }
        guard !files.sources.isEmpty else {
            throw BuildFailure("The target \(target.name) of \(target.project.file.path) has no Swift file.")
        }
        let folder = target.project.folder
        module.sources = files.sources.map { AppModule.File(file: $0, path: $0.path(below: folder)) }
        module.languageMode = settings["SWIFT_VERSION"]?.hasPrefix("6") == true ? "6" : "5"
        module.isOnMainActor = settings["SWIFT_DEFAULT_ACTOR_ISOLATION"] == "MainActor"
        module.conditions = (settings["SWIFT_ACTIVE_COMPILATION_CONDITIONS"] ?? "DEBUG").split(separator: " ").map(
            String.init)
        module.dependencies = target.libraries.map { .module($0.settings.moduleName) }
        products += target.products.map { (module.name, $0.name, $0.package?.identity) }
        modules.append(module)
        resources += files.resources.filter { $0.lastPathComponent != "Info.plist" }
            .map { AppModule.File(file: $0, path: $0.pathInBundle) }
        unsupported += files.unsupported
        for library in target.libraries { try add(library, isApp: false) }
    }
}

extension URL {
    /// The path below a folder, or only the name if the file is elsewhere.
    fileprivate func path(below folder: URL) -> String {
        let prefix = folder.standardizedFileURL.path + "/"
        return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : lastPathComponent
    }

    /// The place in a bundle: beside the others, or in the folder of a language.
    fileprivate var pathInBundle: String {
        let folder = deletingLastPathComponent()
        return folder.pathExtension == "lproj" ? "\(folder.lastPathComponent)/\(lastPathComponent)" : lastPathComponent
    }
}
