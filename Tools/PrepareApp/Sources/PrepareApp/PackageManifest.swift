import Foundation

/// What `swift package dump-package` says about a package, as far as a copy of it needs that.
struct PackageManifest: Decodable {
    struct Target: Decodable {
        struct Resource: Decodable {
            let path: String
            /// `copy`, `process` or `embedInCode`.
            let rule: [String: [String: String]?]
        }

        /// `{"byName": ["HotwireNative", null]}` or `{"product": ["Embassy", "Embassy", null, null]}`
        struct Dependency: Decodable {
            private let names: [String: [Name?]]

            private struct Name: Decodable {
                let text: String?

                /// The last element of a product's description may be a condition, which has no name.
                init(from decoder: any Decoder) throws { text = try? String(from: decoder) }
            }

            init(from decoder: any Decoder) throws { names = try [String: [Name?]](from: decoder) }

            var name: String { names.values.first?.first??.text ?? "" }

            /// The package, if the dependency is a product of one.
            var package: String? {
                guard let product = names["product"], product.count > 1 else { return nil }
                return product[1]?.text
            }
        }

        let name: String
        let type: String
        let path: String?
        let exclude: [String]
        let resources: [Resource]
        let dependencies: [Dependency]
    }

    struct Dependency: Decodable {
        struct Source: Decodable {
            struct Location: Decodable {
                struct Remote: Decodable { let urlString: String }
                let remote: [Remote]?
            }
            struct Requirement: Decodable {
                struct Range: Decodable {
                    let lowerBound: String
                    let upperBound: String
                }
                let range: [Range]?
                let exact: [String]?
                let branch: [String]?
                let revision: [String]?
            }
            let identity: String
            let location: Location
            let requirement: Requirement
        }
        let sourceControl: [Source]?
    }

    let name: String
    let targets: [Target]
    let dependencies: [Dependency]

    /// Reads the manifest in a folder.
    init(folder: URL) throws {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["swift", "package", "--package-path", folder.path, "dump-package"]
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw PackageError("\(folder.path) has no Package.swift that swift package dump-package can read.")
        }
        self = try JSONDecoder().decode(PackageManifest.self, from: data)
    }
}

struct PackageError: Error {
    let text: String

    init(_ text: String) { self.text = text }
}
