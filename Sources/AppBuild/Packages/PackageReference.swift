import BridgeProtocol
import Foundation

/// A package that an app or another package uses.
struct PackageReference: Equatable {
    enum Place: Equatable {
        case folder(URL)
        case repository(String)
    }

    /// The name by which Swift tells packages apart: the last part of the address, in lower case.
    let identity: String
    let place: Place
    /// The versions that are wanted, if nothing pins one.
    var versions: Versions = .any

    enum Versions: Equatable {
        case any
        /// At least the first, and less than the second.
        case range(String, String)
        /// A tag, a branch or a commit.
        case exactly(String)
    }

    init(folder: URL) {
        identity = PackageReference.identity(of: folder.standardizedFileURL.path)
        place = .folder(folder.standardizedFileURL)
    }

    init(repository: String, _ versions: Versions) {
        identity = PackageReference.identity(of: repository)
        place = .repository(repository)
        self.versions = versions
    }

    static func identity(of address: String) -> String {
        let last = address.split(whereSeparator: { "/:".contains($0) }).last.map(String.init) ?? address
        return (last.hasSuffix(".git") ? String(last.dropLast(4)) : last).lowercased()
    }
}

extension XcodeProject {
    /// Reads a reference to a package.
    func package(_ object: ProjectObject) -> PackageReference? {
        if let path = object["relativePath"] {
            return PackageReference(folder: folder.appendingPathComponent(path))
        }
        guard let repository = object["repositoryURL"] else { return nil }
        return PackageReference(
            repository: repository, PackageReference.Versions(object.settings("requirement")))
    }

    /// The packages that the project refers to, and the folders with packages among its files.
    var packages: [PackageReference] {
        let references = root.objects("packageReferences").compactMap(package)
        let folders = places.values.sorted { $0.path < $1.path }.filter {
            FileManager.default.fileExists(atPath: $0.appendingPathComponent("Package.swift").path)
        }
        return references + folders.map(PackageReference.init(folder:))
    }
}

extension PackageReference.Versions {
    /// A requirement as Xcode's projects write it.
    fileprivate init(_ requirement: [String: String]) {
        let minimum = requirement["minimumVersion"] ?? "0.0.0"
        let numbers = minimum.split(separator: ".").compactMap { Int($0) } + [0, 0]
        switch requirement["kind"] {
        case "upToNextMajorVersion": self = .range(minimum, "\(numbers[0] &+ 1).0.0")
        case "upToNextMinorVersion": self = .range(minimum, "\(numbers[0]).\(numbers[1] &+ 1).0")
        case "versionRange": self = .range(minimum, requirement["maximumVersion"] ?? "999999.0.0")
        case "exactVersion": self = requirement["version"].map { .exactly($0) } ?? .any
        case "branch": self = requirement["branch"].map { .exactly($0) } ?? .any
        case "revision": self = requirement["revision"].map { .exactly($0) } ?? .any
        default: self = .any
        }
    }
}
