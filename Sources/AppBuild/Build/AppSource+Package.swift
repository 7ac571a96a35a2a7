import Foundation

extension AppSource {
    /// An app that is a package: its executable target, or the one that is named. Its tests need no app.
    init(package folder: URL, target name: String?, hasTests: Bool, cache: URL) throws(BuildFailure) {
        let manifest = try PackageManifest.read(folder, cache: cache)
        modules = []
        packages = [PackageReference(folder: folder)] + manifest.packages
        pins = try PackagePins(folder.appendingPathComponent("Package.resolved"))
        if hasTests {
            try addTests(of: manifest)
        } else {
            let app = try AppSource.app(of: manifest, named: name)
            self.name = app.name
            add(app, of: manifest, .app)
        }
    }

    private static func app(
        of manifest: PackageManifest, named name: String?
    ) throws(BuildFailure) -> PackageManifest.Target {
        let apps = manifest.targets.filter { name == nil ? $0.kind == "executable" : $0.name == name }
        guard let app = apps.first else {
            let names = manifest.targets.map(\.name).joined(separator: ", ")
            throw BuildFailure(
                "\(manifest.folder.path) has no target for an app\(name.map { " with the name \($0)" } ?? ""). "
                    + "Its targets: \(names). If it is a library, give the project of the app that uses it.")
        }
        guard apps.count == 1 else {
            throw BuildFailure(
                "\(manifest.folder.path) has several apps: \(apps.map(\.name).joined(separator: ", ")). "
                    + "Say which: --target NAME")
        }
        return app
    }

    /// Adds the tests that the manifest names, or else those of its folder `Tests`, which an Xcode project runs.
    private mutating func addTests(of manifest: PackageManifest) throws(BuildFailure) {
        var tests = manifest.targets.filter { $0.kind == "test" }
        let folder = manifest.folder.appendingPathComponent("Tests", isDirectory: true)
        if tests.isEmpty, FolderContent.isFolder(folder) {
            let libraries = manifest.targets.filter { $0.kind == "regular" }.map(\.name)
            tests = [
                PackageManifest.Target(
                    name: "\(manifest.name)Tests", kind: "test", folder: folder, excluded: [], resources: [],
                    conditions: [], dependencies: libraries.map { .target($0) })
            ]
        }
        guard !tests.isEmpty else {
            throw BuildFailure("\(manifest.folder.path) has no test target, and no folder Tests.")
        }
        name = manifest.name
        for target in tests { add(target, of: manifest, .tests) }
    }

    private mutating func add(_ target: PackageManifest.Target, of manifest: PackageManifest, _ kind: AppModule.Kind) {
        var module = AppModule(target, of: manifest)
        module.kind = kind
        module.conditions += ["DEBUG"]
        if kind == .app {
            // What lies beside the sources is in the app's bundle.
            resources += target.otherFiles + target.resourceFiles
        }
        modules.append(module)
        for dependency in target.dependencies {
            switch dependency {
            case .product(let product, let package):
                products.append((target.name, product, package?.lowercased()))
            // Its own libraries are products of a package: itself.
            case .target(let name): products.append((target.name, manifest.product(of: name) ?? name, nil))
            }
        }
    }
}

extension PackageManifest {
    /// The product that has a target; nil if none does.
    fileprivate func product(of target: String) -> String? {
        products.filter { $0.value.contains(target) }.map(\.key).min()
    }
}
