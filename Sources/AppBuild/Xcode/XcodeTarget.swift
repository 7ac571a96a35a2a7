import Foundation

/// A target of an Xcode project: an app, or a library of the same project.
struct XcodeTarget {
    let project: XcodeProject
    let object: ProjectObject

    var name: String { object["name"] ?? "" }

    /// What the target consists of.
    struct Files {
        var sources: [URL] = []
        var resources: [URL] = []
        /// Files that have no meaning on Linux, such as those in Objective-C.
        var unsupported: [URL] = []

        fileprivate mutating func add(_ file: URL) {
            switch file.pathExtension {
            case "swift": sources.append(file)
            case "m", "mm", "c", "cpp", "metal", "intentdefinition", "xcdatamodeld", "mlmodel": unsupported.append(file)
            case "h", "entitlements", "xcconfig", "pch", "modulemap": break
            default: resources.append(file)
            }
        }
    }

    /// The files of its build phases, and of its folders that Xcode keeps in step with the disk.
    var files: Files {
        var files = Files()
        for phase in object.objects("buildPhases") {
            guard ["PBXSourcesBuildPhase", "PBXResourcesBuildPhase"].contains(phase.kind) else { continue }
            for reference in phase.objects("files").compactMap({ $0.object("fileRef") }) {
                // The translations of a file are a group.
                let parts = reference.kind == "PBXVariantGroup" ? reference.objects("children") : [reference]
                for part in parts { project.places[part.id].map { files.add($0) } }
            }
        }
        for group in object.objects("fileSystemSynchronizedGroups") {
            guard let folder = project.places[group.id] else { continue }
            let left = leftOut(of: group)
            for path in FolderContent.files(in: folder) where !left.contains(path) {
                files.add(folder.appendingPathComponent(path))
            }
        }
        return files
    }

    /// The files of a folder that are no part of this target, although the folder is.
    private func leftOut(of group: ProjectObject) -> Set<String> {
        Set(
            group.objects("exceptions").filter { $0["target"] == object.id }.flatMap {
                $0.texts("membershipExceptions")
            })
    }

    /// The libraries of the same project that the target links.
    var libraries: [XcodeTarget] {
        let kinds = ["com.apple.product-type.framework", "com.apple.product-type.library.static"]
        return object.objects("dependencies").compactMap { $0.object("target") }
            .filter { kinds.contains($0["productType"] ?? "") }.map { XcodeTarget(project: project, object: $0) }
    }

    /// The names of targets of other projects that it depends on.
    var otherTargets: [String] {
        object.objects("dependencies").filter { $0.object("target") == nil }.compactMap {
            $0["name"] ?? $0.object("targetProxy")?["remoteInfo"]
        }
    }

    /// The app that a target of tests tests.
    var app: XcodeTarget? {
        object.objects("dependencies").compactMap { $0.object("target") }
            .first { $0["productType"] == XcodeProject.appType }.map { XcodeTarget(project: project, object: $0) }
    }

    /// The products of packages that the target links, each with its package if the project names one.
    var products: [(name: String, package: PackageReference?)] {
        object.objects("packageProductDependencies").compactMap { product in
            product["productName"].map { ($0, product.object("package").flatMap(project.package)) }
        }
    }

    /// The settings of its configuration for debugging.
    var settings: BuildSettings {
        get throws(BuildFailure) { try readSettings() }
    }

    private func readSettings() throws(BuildFailure) -> BuildSettings {
        let file = project.file.appendingPathComponent("project.pbxproj").path
        var settings = BuildSettings()
        settings.set("TARGET_NAME", name, in: file)
        settings.set("PROJECT_DIR", project.folder.path)
        settings.set("SRCROOT", project.folder.path)
        for list in [project.root, object].compactMap({ $0.object("buildConfigurationList") }) {
            guard let configuration = debugging(list) else { continue }
            if let base = configuration.object("baseConfigurationReference"), let included = project.places[base.id] {
                try settings.merge(ConfigurationFile.settings(in: included))
            }
            try settings.merge(
                configuration.settings("buildSettings").mapValues { BuildSettings.Setting(text: $0, file: file) })
        }
        let productName = try settings["PRODUCT_NAME"] ?? name
        settings.set("PRODUCT_NAME", productName, in: file)
        settings.set("PRODUCT_MODULE_NAME", try settings.moduleName, in: file)
        settings.set("EXECUTABLE_NAME", productName, in: file)
        return settings
    }

    private func debugging(_ list: ProjectObject) -> ProjectObject? {
        let configurations = list.objects("buildConfigurations")
        return configurations.first { $0["name"] == "Debug" }
            ?? configurations.first { $0["name"] == list["defaultConfigurationName"] } ?? configurations.first
    }
}
