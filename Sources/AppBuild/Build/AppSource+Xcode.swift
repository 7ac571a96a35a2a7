import Foundation

extension AppSource {
    /// - Parameter file: the pins of a workspace.
    init(_ project: XcodeProject, target name: String?, hasTests: Bool, pins file: URL?) throws(BuildFailure) {
        modules = []
        let existing = [file, project.resolvedPackages].compactMap(\.self).first {
            FileManager.default.fileExists(atPath: $0.path)
        }
        pins = try existing.map { file throws(BuildFailure) in try PackagePins(file) } ?? PackagePins()
        packages = project.packages
        guard hasTests else {
            try add(app: project.app(named: name))
            return
        }
        let tests = try project.unitTests(of: name)
        if let app = tests.lazy.compactMap(\.app).first {
            try add(app: app)
        } else {
            self.name = BuildSettings.identifier(tests.first?.name ?? "")
        }
        for target in tests { try add(target, .tests) }
    }

    private mutating func add(app: XcodeTarget) throws(BuildFailure) {
        try add(app, .app)
        name = modules.first?.name ?? ""
        infoPlist = try InfoPlist(app).data
        schemes = XcodeScheme.shared(in: app.project.file).filter { $0.targets.contains(app.name) }
    }

    private mutating func add(_ target: XcodeTarget, _ kind: AppModule.Kind) throws(BuildFailure) {
        let (settings, files) = (try target.settings, target.files)
        var module = AppModule(name: try settings.moduleName, kind: kind)
        guard !modules.contains(where: { $0.name == module.name }) else { return }
        guard !files.sources.isEmpty else {
            throw BuildFailure("The target \(target.name) of \(target.project.file.path) has no Swift file.")
        }
        if let file = files.sources.first(where: { !FileManager.default.fileExists(atPath: $0.path) }) {
            throw BuildFailure(
                "The target \(target.name) of \(target.project.file.path) names \(file.path), which does not exist. "
                    + "Xcode cannot build it either: correct the file's place in the project.")
        }
        let folder = target.project.folder
        module.sources = files.sources.map { AppModule.File(file: $0, path: $0.path(below: folder)) }
        module.languageMode = try settings["SWIFT_VERSION"]?.hasPrefix("6") == true ? "6" : "5"
        module.isOnMainActor = try settings["SWIFT_DEFAULT_ACTOR_ISOLATION"] == "MainActor"
        let conditions = try settings["SWIFT_ACTIVE_COMPILATION_CONDITIONS"] ?? "DEBUG"
        module.conditions = conditions.split(separator: " ").map(String.init)
        let used = target.libraries + [target.app].compactMap(\.self)
        module.dependencies = try used.map { other throws(BuildFailure) in .module(try other.settings.moduleName) }
        products += target.products.map { (module.name, $0.name, $0.package?.identity) }
        modules.append(module)
        resources += files.resources.filter { $0.lastPathComponent != "Info.plist" }
            .map { AppModule.File(file: $0, path: $0.pathInBundle) }
        unsupported += files.unsupported
        otherTargets.formUnion(target.otherTargets)
        for library in target.libraries { try add(library, .library) }
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
