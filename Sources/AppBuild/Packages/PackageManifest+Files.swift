import Foundation

extension AppModule {
    /// A module of a package, without what it depends on.
    init(_ target: PackageManifest.Target, of manifest: PackageManifest) {
        self.init(name: target.name)
        languageMode = manifest.languageMode
        conditions = target.conditions + ["SWIFT_PACKAGE"]
        sources = target.sources
        resourceFiles = target.resourceFiles
        resources = target.resources
    }
}

extension PackageManifest.Target {
    var sources: [AppModule.File] { files.filter { $0.path.hasSuffix(".swift") && !isResource($0.path) } }

    var resourceFiles: [AppModule.File] { files.filter { isResource($0.path) } }

    /// What is neither a source nor declared as a resource.
    var otherFiles: [AppModule.File] { files.filter { !$0.path.hasSuffix(".swift") && !isResource($0.path) } }

    private var files: [AppModule.File] {
        FolderContent.files(in: folder).filter { path in !excluded.contains { path.isIn($0) } }
            .map { AppModule.File(file: folder.appendingPathComponent($0), path: $0) }
    }

    private func isResource(_ path: String) -> Bool { resources.contains { path.isIn($0.path) } }
}

extension String {
    /// Whether this path is `other`, or a path below it.
    fileprivate func isIn(_ other: String) -> Bool {
        let other = other.hasSuffix("/") ? String(other.dropLast()) : other
        return self == other || hasPrefix(other + "/")
    }
}
