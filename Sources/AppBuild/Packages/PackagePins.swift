import BridgeProtocol
import Foundation

/// The commits that Xcode or Swift has chosen for packages: a `Package.resolved` of any version of its format.
struct PackagePins {
    private var commits: [String: String] = [:]

    init() {}

    init(_ file: URL) throws(BuildFailure) {
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return }
        guard let json = try? JSON.parse(text) else { throw BuildFailure("\(file.path) is no JSON.") }
        for pin in (json["pins"] ?? json["object"]?["pins"])?.elements ?? [] {
            guard let place = pin["location"]?.string ?? pin["repositoryURL"]?.string else { continue }
            commits[PackageReference.identity(of: place)] =
                pin["state"]?["revision"]?.string ?? pin["state"]?["branch"]?.string
        }
    }

    subscript(_ identity: String) -> String? { commits[identity] }
}
