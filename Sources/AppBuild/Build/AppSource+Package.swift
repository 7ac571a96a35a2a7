import Foundation

extension AppSource {
    /// An app that is a package: its executable target, or the one that is named.
    init(package folder: URL, target name: String?, cache: URL) throws(BuildFailure) {
        let manifest = try PackageManifest.read(folder, cache: cache)
        let apps = manifest.targets.filter { name == nil ? $0.kind == "executable" : $0.name == name }
        guard let app = apps.first else {
            let names = manifest.targets.map(\.name).joined(separator: ", ")
            throw BuildFailure(
                "\(folder.path) has no target for an app\(name.map { " with the name \($0)" } ?? ""). "
                    + "Its targets: \(names). If it is a library, give the project of the app that uses it.")
        }
        guard apps.count == 1 else {
            throw BuildFailure(
                "\(folder.path) has several apps: \(apps.map(\.name).joined(separator: ", ")). Say which: --target NAME"
            )
        }
        var module = AppModule(name: app.name, isApp: true)
        module.languageMode = manifest.languageMode
        module.conditions = app.conditions + ["DEBUG", "SWIFT_PACKAGE"]
        let files = FolderContent.files(in: app.folder).filter { path in !app.excluded.contains { path.hasPrefix($0) } }
            .map { AppModule.File(file: app.folder.appendingPathComponent($0), path: $0) }
        module.sources = files.filter { $0.path.hasSuffix(".swift") }
        modules = [module]
        resources = files.filter { !$0.path.hasSuffix(".swift") }
        // Its own libraries are products of a package: itself.
        let own = manifest.products
        packages = [PackageReference(folder: folder)] + manifest.packages
        for dependency in app.dependencies {
            switch dependency {
            case .product(let product, let package): products.append((app.name, product, package?.lowercased()))
            case .target(let target):
                let product = own.first { $0.value.contains(target) }?.key
                products.append((app.name, product ?? target, nil))
            }
        }
        pins = try PackagePins(folder.appendingPathComponent("Package.resolved"))
    }
}
