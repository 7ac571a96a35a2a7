import Foundation

/// A package that was written for iOS, and the folder for its copy that Linux builds.
///
/// The modules of the copy depend on `UIKit` and `WebKit` of bridged. Its tests also link `AppTesting`, and the test
/// libraries of `Tools/AppTestSupport` in place of those that Linux lacks.
struct PackageCopy {
    let from: URL
    let to: URL
    /// The folder of bridged.
    let bridged: URL
    /// `MODULE=FOLDER`: tests that the manifest does not name, because an Xcode project runs them.
    let extraTests: String?

    /// What `Tools/AppTestSupport` stands in for.
    private static let supported = ["OHHTTPStubs", "OHHTTPStubsSwift", "Embassy"]

    /// - Parameter log: gets a line for each change.
    func prepare(log: (String) -> Void) throws {
        let manifest = try PackageManifest(folder: from)
        let targets = try manifest.targets.map(CopiedTarget.init) + extraTarget(manifest)
        for target in targets {
            let folder = from.appendingPathComponent(target.path)
            guard FileManager.default.fileExists(atPath: folder.path) else {
                throw PackageError("The target '\(target.name)' should be in \(folder.path), which does not exist.")
            }
            let module = Module(
                from: folder, to: to.appendingPathComponent(target.name), isTests: target.isTest,
                excluded: target.excluded)
            try module.prepare(log: log)
        }
        let text = Data(self.text(manifest, targets).utf8)
        let file = to.appendingPathComponent("Package.swift")
        if (try? Data(contentsOf: file)) != text { try text.write(to: file) }
    }

    private func extraTarget(_ manifest: PackageManifest) throws -> [CopiedTarget] {
        guard let extraTests else { return [] }
        let parts = extraTests.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else {
            throw PackageError("--tests takes MODULE=FOLDER, such as MyAppTests=Tests, not '\(extraTests)'.")
        }
        let names = manifest.targets.filter { $0.type == "regular" }.map(\.name)
        return [CopiedTarget(name: parts[0], path: parts[1], isTest: true, dependencies: names.map { "\"\($0)\"" })]
    }

    // MARK: The manifest

    private func text(_ manifest: PackageManifest, _ targets: [CopiedTarget]) -> String {
        let libraries = targets.filter { !$0.isTest }.map { target in
            "        .library(name: \(quoted(target.name)), targets: [\(quoted(target.name))]),\n"
        }
        let own = [
            "        .package(name: \"bridged\", path: \(quoted(bridged.path)), traits: [\"Testing\"]),\n",
            "        .package(name: \"AppTestSupport\", path: \(quoted("\(bridged.path)/Tools/AppTestSupport"))),\n",
        ]
        return """
            // swift-tools-version: 6.1
            // prepare-app wrote this file.
            import PackageDescription

            let package = Package(
                name: \(quoted(manifest.name)),
                products: [
            \(libraries.joined())    ],
                dependencies: [
            \((own + manifest.dependencies.compactMap(line)).joined())    ],
                targets: [
            \(targets.map(line).joined())    ],
                swiftLanguageModes: [.v5]
            )

            """
    }

    private func line(_ dependency: PackageManifest.Dependency) -> String? {
        guard let source = dependency.sourceControl?.first, let url = source.location.remote?.first?.urlString,
            !PackageCopy.supported.contains(where: { $0.lowercased() == source.identity })
        else { return nil }
        let requirement = source.requirement
        return requirement.text.map { "        .package(url: \(quoted(url)), \($0)),\n" }
    }

    private func line(_ target: CopiedTarget) -> String {
        let own = ["UIKit", "WebKit"] + (target.isTest ? ["AppTesting"] : [])
        let products = own.map { ".product(name: \"\($0)\", package: \"bridged\")" }
        let others =
            target.dependencies
            + target.products.map { product -> String in
                let package = PackageCopy.supported.contains(product.name) ? "AppTestSupport" : product.package
                return ".product(name: \(quoted(product.name)), package: \(quoted(package)))"
            }
        return """
                    .\(target.isTest ? "testTarget" : "target")(
                        name: \(quoted(target.name)),
                        dependencies: [\((products + others).joined(separator: ", "))],
                        path: \(quoted(target.name)),
                        resources: [\(target.resources.joined(separator: ", "))]),

            """
    }
}

/// A target of the copy.
private struct CopiedTarget {
    let name: String
    let path: String
    let isTest: Bool
    var excluded: [String] = []
    /// Other targets, as the manifest writes them.
    let dependencies: [String]
    var products: [(name: String, package: String)] = []
    /// `.copy("Fixtures")`
    var resources: [String] = []

    init(name: String, path: String, isTest: Bool, dependencies: [String]) {
        (self.name, self.path, self.isTest, self.dependencies) = (name, path, isTest, dependencies)
    }

    init(_ target: PackageManifest.Target) throws {
        guard ["regular", "test", "executable"].contains(target.type) else {
            throw PackageError("The target '\(target.name)' is of the kind \(target.type), which cannot be copied.")
        }
        name = target.name
        isTest = target.type == "test"
        path = target.path ?? "\(isTest ? "Tests" : "Sources")/\(target.name)"
        excluded = target.exclude
        dependencies = target.dependencies.filter { $0.package == nil }.map { quoted($0.name) }
        products = target.dependencies.compactMap { dependency in dependency.package.map { (dependency.name, $0) } }
        resources = target.resources.map { ".\($0.rule.keys.first ?? "process")(\(quoted($0.path)))" }
    }
}

extension PackageManifest.Dependency.Source.Requirement {
    /// As a manifest writes it.
    fileprivate var text: String? {
        if let range = range?.first { return "\(quoted(range.lowerBound))..<\(quoted(range.upperBound))" }
        if let exact = exact?.first { return "exact: \(quoted(exact))" }
        if let branch = branch?.first { return "branch: \(quoted(branch))" }
        return revision?.first.map { "revision: \(quoted($0))" }
    }
}

private func quoted(_ text: String) -> String {
    "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
}
