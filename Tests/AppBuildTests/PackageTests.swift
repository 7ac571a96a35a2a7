import Foundation
import Testing

@testable import AppBuild

struct PackageTests {
    @Test(arguments: [
        (PackageReference.Versions.range("1.2.0", "2.0.0"), "1.10.1"), (.range("1.2.0", "1.3.0"), "v1.2.5"),
        (.any, "2.0.0"), (.range("3.0.0", "4.0.0"), ""),
    ])
    func newestVersion_isTheHighestThatIsAllowed(_ versions: PackageReference.Versions, _ expected: String) {
        let tags = ["1.0.0", "v1.2.5", "1.10.1", "1.9.0", "2.0.0", "2.1.0-beta", "latest", "1.2.3.4"]
        #expect((versions.newest(of: tags) ?? "") == expected)
    }

    @Test(arguments: [
        "https://github.com/hotwired/Hotwire-Native-iOS.git", "git@github.com:hotwired/hotwire-native-ios",
        "/src/hotwire-native-ios/",
    ])
    func identity_isTheLastPartOfTheAddress(_ address: String) {
        #expect(PackageReference.identity(of: address) == "hotwire-native-ios")
    }

    @Test(arguments: [
        #"{"version": 3, "pins": [{"identity": "kit", "location": "https://a.b/Kit", "state": {"revision": "abc"}}]}"#,
        #"{"version": 1, "object": {"pins": [{"repositoryURL": "https://a.b/Kit.git", "state": {"revision": "abc"}}]}}"#,
    ])
    func pins_areReadInEachFormat(_ text: String) throws {
        let fixture = try Fixture(["Package.resolved": text])
        #expect(try PackagePins(fixture.folder.appendingPathComponent("Package.resolved"))["kit"] == "abc")
    }

    /// A package of a git repository, with a resource, a module that it needs, and another package beside it.
    @Test func packageForIOS_isFetched_andItsModulesAreCopied() throws {
        let fixture = try Fixture([
            "kit/Package.swift": """
            // swift-tools-version: 5.9
            import PackageDescription
            let package = Package(name: "Kit", products: [.library(name: "Kit", targets: ["Kit"])],
                dependencies: [.package(path: "../plain")],
                targets: [
                    .target(name: "Kit", dependencies: ["Parts", .product(name: "Plain", package: "plain")], path: "Source",
                            exclude: ["Old"], resources: [.copy("Web/turbo.js")]),
                    .target(name: "Parts"),
                ])
            """,
            "kit/Source/Kit.swift": "import UIKit", "kit/Source/Old/Old.swift": "", "kit/Source/Web/turbo.js": "1",
            "kit/Source/README.md": "", "kit/Sources/Parts/Parts.swift": "",
            "checkouts/plain/Package.swift": """
            // swift-tools-version: 5.9
            import PackageDescription
            let package = Package(name: "Plain", products: [.library(name: "Plain", targets: ["Plain"])],
                targets: [.target(name: "Plain")])
            """,
            "checkouts/plain/Sources/Plain/Plain.swift": "import Foundation",
        ])
        let repository = fixture.path("kit")
        for arguments in [
            ["init", "--quiet"], ["add", "."], ["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "A"],
            ["tag", "1.0.0"],
        ] {
            try Tool(name: "git").succeed(["-C", repository] + arguments)
        }
        let checkouts = Checkouts(
            cache: fixture.folder.appendingPathComponent("checkouts"), pins: PackagePins(), overrides: [:],
            log: { _ in })
        var graph = PackageGraph(checkouts: checkouts, cache: fixture.folder.appendingPathComponent("manifests"))
        let package = PackageReference(repository: repository, .range("1.0.0", "2.0.0"))
        let dependencies = try graph.add(product: "Kit", package: "kit", among: [package], for: "App")
        #expect(dependencies == [.module("Kit")])
        #expect(graph.modules.map(\.name) == ["Kit", "Parts"])
        let kit = try #require(graph.modules.first)
        #expect(kit.sources.map(\.path) == ["Kit.swift"])
        #expect(kit.resources == [.init(path: "Web/turbo.js", isCopied: true)])
        #expect(kit.dependencies == [.module("Parts"), .product("Plain", package: "plain")])
        #expect(graph.packages.map(\.lastPathComponent) == ["plain"])
    }

    @Test func repositoryThatCannotBeFetched_isNamed_withTheWayOut() throws {
        let fixture = try Fixture([:])
        let checkouts = Checkouts(cache: fixture.folder, pins: PackagePins(), overrides: [:], log: { _ in })
        let package = PackageReference(repository: fixture.path("nowhere"), .exactly("main"))
        let failure = #expect(throws: BuildFailure.self) { try checkouts.folder(of: package) }
        #expect(failure?.description.contains("--package nowhere=FOLDER") == true)
    }

    @Test func productThatNoPackageHas_isNamed() throws {
        let checkouts = Checkouts(cache: URL(fileURLWithPath: "/"), pins: PackagePins(), overrides: [:], log: { _ in })
        var graph = PackageGraph(checkouts: checkouts, cache: URL(fileURLWithPath: "/"))
        let failure = #expect(throws: BuildFailure.self) {
            try graph.add(product: "Kit", package: "kit", among: [], for: "App")
        }
        #expect(failure?.description.contains("App needs the product Kit") == true)
    }
}
