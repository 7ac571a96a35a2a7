import Foundation

/// Follows the products that an app uses to the modules of which they consist.
///
/// A package that imports modules of iOS is copied and rewritten as modules of the app's own package. Any other is used as
/// it is.
struct PackageGraph {
    let checkouts: Checkouts
    /// The folder for what `swift` says about packages.
    let cache: URL
    /// The package with stand-ins for test libraries that Linux lacks.
    let standIns: URL

    private(set) var modules: [AppModule] = []
    /// The folders of the packages that are used as they are.
    private(set) var packages: [URL] = []
    /// What bridged cannot build, such as binary targets. What uses it is cut.
    private(set) var leftOut: [String] = []
    /// The packages that cannot be fetched or read, each with the reason. What uses them is cut.
    private(set) var missing: [(package: String, reason: BuildFailure)] = []
    private var manifests: [String: PackageManifest] = [:]

    /// The libraries that `AppCode/Tools/AppTestSupport` stands in for.
    private static let standIns: Set = ["OHHTTPStubs", "OHHTTPStubsSwift", "Embassy"]

    /// - Parameter bridged: the folder with the sources of bridged.
    init(checkouts: Checkouts, cache: URL, bridged: URL) {
        self.checkouts = checkouts
        self.cache = cache
        standIns = BridgedSource.tool("AppTestSupport", in: bridged)
    }

    /// Adds what a product consists of.
    /// - Parameter packages: those in which the product may be.
    /// - Returns: what a module that uses the product depends on.
    mutating func add(
        product name: String, package identity: String?, among packages: [PackageReference], for user: String
    ) throws(BuildFailure) -> [AppModule.Dependency] {
        if PackageGraph.standIns.contains(name) {
            if !self.packages.contains(standIns) { self.packages.append(standIns) }
            return [.product(name, package: PackageReference.identity(of: standIns.path))]
        }
        let candidates = packages.filter { identity == nil || $0.identity == identity?.lowercased() }
        for package in candidates {
            guard let manifest = try availableManifest(of: package) else { continue }
            let product = manifest.products[name]
            // The tests of a package may use a target of which it makes no product.
            let isTarget = identity == nil && manifest.targets.contains { $0.name == name && $0.kind == "regular" }
            guard let targets = product ?? (isTarget ? [name] : nil) else { continue }
            let isCopied = if product == nil { true } else { try needsCopy(targets, of: manifest) }
            guard isCopied else {
                if !self.packages.contains(manifest.folder) { self.packages.append(manifest.folder) }
                return [.product(name, package: PackageReference.identity(of: manifest.folder.path))]
            }
            for target in targets { try add(target, of: manifest) }
            return targets.filter(isModule).map { .module($0) }
        }
        if candidates.contains(where: { isMissing($0.identity) }) { return [] }
        let known = packages.map(\.identity).joined(separator: ", ")
        throw BuildFailure(
            "\(user) needs the product \(name), which none of its packages has: \(known.isEmpty ? "it has none" : known). "
                + "Name a folder with it: --package \(identity ?? "NAME")=FOLDER")
    }

    /// - Returns: nil if the package cannot be fetched or read, and the app may be built without it.
    private mutating func availableManifest(of package: PackageReference) throws(BuildFailure) -> PackageManifest? {
        guard checkouts.fetches(package), !PackageGraph.essential.contains(package.identity) else {
            return try manifest(of: package)
        }
        if isMissing(package.identity) { return nil }
        do throws(BuildFailure) {
            return try manifest(of: package)
        } catch {
            missing.append((package.identity, error))
            return nil
        }
    }

    private func isMissing(_ identity: String) -> Bool { missing.contains { $0.package == identity } }

    /// The packages without which an app has nothing to show.
    private static let essential: Set = [
        "hotwire-native-ios", "turbo-ios", "strada-ios", "turbolinks-ios", "turbonavigator",
    ]

    private mutating func manifest(of package: PackageReference) throws(BuildFailure) -> PackageManifest {
        if let known = manifests[package.identity] { return known }
        let manifest = try PackageManifest.read(checkouts.folder(of: package), cache: cache)
        manifests[package.identity] = manifest
        return manifest
    }

    private mutating func add(_ name: String, of manifest: PackageManifest) throws(BuildFailure) {
        guard !modules.contains(where: { $0.name == name }) else { return }
        guard let target = manifest.targets.first(where: { $0.name == name }) else {
            throw BuildFailure("The package \(manifest.name) has no target \(name), although its manifest uses it.")
        }
        guard target.kind == "regular" else {
            leftOut.append("\(name), a \(target.kind) target of the package \(manifest.name)")
            return
        }
        modules.append(AppModule(target, of: manifest))
        let dependencies = try dependencies(of: target, in: manifest)
        if let index = modules.firstIndex(where: { $0.name == name }) { modules[index].dependencies = dependencies }
    }

    private mutating func dependencies(
        of target: PackageManifest.Target, in manifest: PackageManifest
    ) throws(BuildFailure) -> [AppModule.Dependency] {
        var all: [AppModule.Dependency] = []
        for dependency in target.dependencies {
            switch dependency {
            case .target(let name) where manifest.targets.contains { $0.name == name }:
                try add(name, of: manifest)
                if isModule(name) { all.append(.module(name)) }
            case .target(let name):
                all += try add(product: name, package: nil, among: manifest.packages, for: target.name)
            case .product(let name, let package):
                all += try add(product: name, package: package, among: manifest.packages, for: target.name)
            }
        }
        return all
    }

    private func isModule(_ name: String) -> Bool { modules.contains { $0.name == name } }

    // MARK: Packages for iOS

    private static let modulesOfIOS: Set = [
        "UIKit", "WebKit", "SwiftUI", "SafariServices", "StoreKit", "AVFoundation", "CoreLocation", "MapKit",
        "UserNotifications", "ObjectiveC", "os", "OSLog", "Combine", "QuartzCore", "Photos", "AuthenticationServices",
    ]

    /// Whether a target of the product imports a module that only iOS has.
    private func needsCopy(_ targets: [String], of manifest: PackageManifest) throws(BuildFailure) -> Bool {
        let used = manifest.closure(of: targets)
        return used.contains { target in
            target.sources.contains { source in
                let text = (try? String(contentsOf: source.file, encoding: .utf8)) ?? ""
                return text.split(whereSeparator: \.isNewline).contains { line in
                    line.prefixMatch(
                        of: /\s*(?:@\w+\s+|public\s+)*import\s+(?:class\s+|struct\s+|func\s+)?(\w+)/
                    ).map { PackageGraph.modulesOfIOS.contains(String($0.1)) } ?? false
                }
            }
        }
    }
}

extension PackageManifest {
    /// The targets with these names and those of the same package that they depend on.
    func closure(of names: [String]) -> [Target] {
        var (found, open) = ([Target](), names)
        while let name = open.popLast() {
            guard let target = targets.first(where: { $0.name == name }), !found.contains(where: { $0.name == name })
            else { continue }
            found.append(target)
            open += target.dependencies.map { dependency in
                switch dependency {
                case .target(let name), .product(let name, _): name
                }
            }
        }
        return found
    }
}
