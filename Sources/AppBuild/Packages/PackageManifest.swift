import BridgeProtocol
import Foundation

/// What `swift package dump-package` says about a package.
struct PackageManifest {
    struct Target {
        let name: String
        /// `regular`, `executable`, `test`, `system`, `binary`, `macro` or `plugin`.
        let kind: String
        let folder: URL
        let excluded: [String]
        let resources: [AppModule.Resource]
        let conditions: [String]
        let dependencies: [Dependency]
    }

    enum Dependency {
        case target(String)
        /// A product, with its package if the manifest names it.
        case product(String, package: String?)
    }

    let name: String
    let folder: URL
    /// The targets of each product.
    let products: [String: [String]]
    let targets: [Target]
    let packages: [PackageReference]
    let languageMode: String

    /// Asks `swift` about a package. Its answer is kept in a file, because it takes a second.
    static func read(_ folder: URL, cache: URL) throws(BuildFailure) -> PackageManifest {
        let source = (try? Data(contentsOf: folder.appendingPathComponent("Package.swift"))) ?? Data()
        // The answer has the paths of packages beside this one, so that it belongs to the folder.
        let key = StableHash.of(Array("\(folder.path)\0".utf8) + source)
        let kept = cache.appendingPathComponent("\(PackageReference.identity(of: folder.path))-\(key).json")
        if let text = try? String(contentsOf: kept, encoding: .utf8), let json = try? JSON.parse(text) {
            return try PackageManifest(json, in: folder).checked()
        }
        let output = try Tool(name: "swift").succeed(["package", "--package-path", folder.path, "dump-package"])
        // Warnings may come first.
        guard let start = output.firstIndex(of: "{"), let json = try? JSON.parse(String(output[start...])) else {
            throw BuildFailure("swift package dump-package says nothing about \(folder.path).")
        }
        try? FileManager.default.createDirectory(at: cache, withIntermediateDirectories: true)
        try? String(output[start...]).write(to: kept, atomically: true, encoding: .utf8)
        return try PackageManifest(json, in: folder).checked()
    }

    /// Refuses names that would be paths to other places, because the copies of modules have their names.
    private func checked() throws(BuildFailure) -> PackageManifest {
        guard let wrong = ([name] + targets.map(\.name)).first(where: { !Files.isName($0) }) else { return self }
        throw BuildFailure(
            "The Package.swift of \(folder.path) has the name '\(wrong)', which cannot be that of a file. Correct it there."
        )
    }

    init(_ json: JSON, in folder: URL) {
        name = json["name"]?.string ?? folder.lastPathComponent
        self.folder = folder
        products = Dictionary(
            (json["products"]?.elements ?? []).map { ($0["name"]?.string ?? "", $0["targets"]?.strings ?? []) },
            uniquingKeysWith: { first, _ in first })
        targets = (json["targets"]?.elements ?? []).map { Target($0, in: folder) }
        packages = (json["dependencies"]?.elements ?? []).compactMap { PackageReference($0, from: folder) }
        let tools = json["toolsVersion"]?["_version"]?.string ?? "5"
        languageMode =
            json["swiftLanguageVersions"]?.strings.last.map { String($0.prefix(1)) } ?? String(tools.prefix(1))
    }
}

extension PackageManifest.Target {
    fileprivate init(_ json: JSON, in package: URL) {
        name = json["name"]?.string ?? ""
        kind = json["type"]?.string ?? "regular"
        let path = json["path"]?.string ?? "\(kind == "test" ? "Tests" : "Sources")/\(name)"
        folder = package.appendingPathComponent(path, isDirectory: true).standardizedFileURL
        excluded = json["exclude"]?.strings ?? []
        resources = (json["resources"]?.elements ?? []).compactMap { resource in
            resource["path"]?.string.map { .init(path: $0, isCopied: resource["rule"]?["copy"] != nil) }
        }
        conditions = (json["settings"]?.elements ?? []).compactMap { setting in
            setting["tool"]?.string == "swift" ? setting["kind"]?["define"]?["_0"]?.string : nil
        }
        dependencies = (json["dependencies"]?.elements ?? []).compactMap { dependency in
            if let product = dependency["product"]?.elements, let name = product.first?.string {
                return .product(name, package: product.dropFirst().first?.string)
            }
            let name = (dependency["byName"] ?? dependency["target"])?.elements.first?.string
            return name.map { .target($0) }
        }
    }
}

extension PackageReference {
    /// A dependency as `dump-package` writes it.
    fileprivate init?(_ json: JSON, from folder: URL) {
        if let path = json["fileSystem"]?.elements.first?["path"]?.string {
            self.init(folder: URL(fileURLWithPath: path, relativeTo: folder))
        } else if let control = json["sourceControl"]?.elements.first,
            let url = control["location"]?["remote"]?.elements.first?["urlString"]?.string
                ?? control["location"]?["local"]?.elements.first?.string
        {
            self.init(repository: url, Versions(control["requirement"]))
        } else {
            return nil
        }
    }
}

extension PackageReference.Versions {
    fileprivate init(_ requirement: JSON?) {
        if let range = requirement?["range"]?.elements.first, let first = range["lowerBound"]?.string,
            let end = range["upperBound"]?.string
        {
            self = .range(first, end)
        } else {
            let exact = ["exact", "branch", "revision"].compactMap { requirement?[$0]?.elements.first?.string }.first
            self = exact.map { .exactly($0) } ?? .any
        }
    }
}

extension JSON {
    fileprivate var strings: [String] { elements.compactMap(\.string) }
}

/// A number for a text that is the same in each run.
package enum StableHash {
    /// FNV-1a, in base 36.
    package static func of(_ bytes: some Sequence<UInt8>) -> String {
        let hash = bytes.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        return String(hash, radix: 36)
    }
}
