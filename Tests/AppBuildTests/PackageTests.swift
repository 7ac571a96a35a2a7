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
        var graph = PackageGraph(
            checkouts: checkouts, cache: fixture.folder.appendingPathComponent("manifests"),
            bridged: URL(fileURLWithPath: "/bridged"))
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

    @Test func packageThatCannotBeFetched_isLeftOut_unlessTheAppShowsNothingWithoutIt() throws {
        let fixture = try Fixture([:])
        let checkouts = Checkouts(cache: fixture.folder, pins: PackagePins(), overrides: [:], log: { _ in })
        var graph = PackageGraph(checkouts: checkouts, cache: fixture.folder, bridged: URL(fileURLWithPath: "/bridged"))
        let package = PackageReference(repository: fixture.path("analytics"), .exactly("main"))
        for product in ["Analytics", "Crashes"] {
            #expect(try graph.add(product: product, package: "analytics", among: [package], for: "App") == [])
        }
        #expect(graph.missing.map(\.package) == ["analytics"])
        let turbo = PackageReference(repository: fixture.path("turbo-ios"), .exactly("main"))
        let failure = #expect(throws: BuildFailure.self) {
            try graph.add(product: "Turbo", package: "turbo-ios", among: [turbo], for: "App")
        }
        #expect(failure?.description.contains("--package turbo-ios=FOLDER") == true)
    }

    @Test func productThatNoPackageHas_isNamed() throws {
        let checkouts = Checkouts(cache: URL(fileURLWithPath: "/"), pins: PackagePins(), overrides: [:], log: { _ in })
        var graph = PackageGraph(
            checkouts: checkouts, cache: URL(fileURLWithPath: "/"), bridged: URL(fileURLWithPath: "/bridged"))
        let failure = #expect(throws: BuildFailure.self) {
            try graph.add(product: "Kit", package: "kit", among: [], for: "App")
        }
        #expect(failure?.description.contains("App needs the product Kit") == true)
    }
}

/// The unit tests of packages and of Xcode projects, as `bridged run --tests` reads them.
struct UnitTestsTests {
    @Test func package_hasTheTestsOfItsManifest_withTheirResources() throws {
        let fixture = try Fixture([
            "Package.swift": """
            // swift-tools-version: 5.9
            import PackageDescription
            let package = Package(name: "Shop", products: [.library(name: "ShopKit", targets: ["Shop"])],
                targets: [.target(name: "Shop"),
                    .testTarget(name: "ShopTests", dependencies: ["Shop"], resources: [.copy("Data")])])
            """,
            "Sources/Shop/Shop.swift": "", "Tests/ShopTests/ShopTests.swift": "", "Tests/ShopTests/Data/a.json": "{}",
        ])
        let source = try fixture.read(hasTests: true)
        #expect(source.name == "Shop" && source.modules.map(\.name) == ["ShopTests"])
        let tests = try #require(source.modules.first)
        #expect(tests.kind == .tests && tests.resourceFiles.map(\.path) == ["Data/a.json"])
        #expect(source.products.map(\.product) == ["ShopKit"])
    }

    /// As those of strada-ios, which only its Xcode project names.
    @Test func testsThatNoManifestNames_areThoseInTheFolderTests() throws {
        let fixture = try Fixture([
            "Package.swift": """
            // swift-tools-version: 5.9
            import PackageDescription
            let package = Package(name: "Shop", targets: [.target(name: "Shop")])
            """,
            "Sources/Shop/Shop.swift": "", "Tests/ShopTests.swift": "",
        ])
        let source = try fixture.read(hasTests: true)
        #expect(source.modules.map(\.name) == ["ShopTests"])
        #expect(source.modules.first?.sources.map(\.path) == ["ShopTests.swift"])
        #expect(source.products.map(\.product) == ["Shop"])
    }

    @Test func targetWithoutAProduct_andStandIns_areFound() throws {
        let fixture = try Fixture([
            "Package.swift": """
            // swift-tools-version: 5.9
            import PackageDescription
            let package = Package(name: "Shop", targets: [.target(name: "Shop")])
            """,
            "Sources/Shop/Shop.swift": "import UIKit",
        ])
        let checkouts = Checkouts(cache: fixture.folder, pins: PackagePins(), overrides: [:], log: { _ in })
        var graph = PackageGraph(
            checkouts: checkouts, cache: fixture.folder, bridged: URL(fileURLWithPath: "/bridged"))
        let own = PackageReference(folder: fixture.folder)
        #expect(try graph.add(product: "Shop", package: nil, among: [own], for: "ShopTests") == [.module("Shop")])
        let embassy = try graph.add(product: "Embassy", package: "embassy", among: [own], for: "ShopTests")
        #expect(embassy == [.product("Embassy", package: "apptestsupport")])
        #expect(graph.packages.map(\.path) == ["/bridged/AppCode/Tools/AppTestSupport"])
    }

    @Test func project_hasTheUnitTestsOfItsApp() throws {
        let fixture = try Fixture([
            "A.xcodeproj/project.pbxproj": Project.withTests, "App/Main.swift": "", "Tests/AppTests.swift": "",
        ])
        let source = try fixture.read(hasTests: true)
        #expect(source.name == "Sample" && source.modules.map(\.name) == ["Sample", "SampleTests"])
        #expect(source.modules.map(\.kind) == [.app, .tests])
        #expect(source.modules[1].dependencies == [.module("Sample")])
        #expect(try fixture.read().modules.map(\.name) == ["Sample"])
    }

    @Test func projectWithoutUnitTests_saysWhatItHas() throws {
        let project = Project.withTests.replacing("bundle.unit-test", with: "bundle.ui-testing")
        let fixture = try Fixture(["A.xcodeproj/project.pbxproj": project, "App/Main.swift": ""])
        let failure = #expect(throws: BuildFailure.self) { try fixture.read(hasTests: true) }
        let text = "no target with unit tests of Sample. SampleTests drives the app"
        #expect(failure?.description.contains(text) == true)
    }

    @Test func testModules_linkAppTesting_andAreTestTargets() {
        var tests = AppModule(name: "AppTests", kind: .tests)
        tests.dependencies = [.module("App")]
        let package = LinuxPackage(
            name: "App", modules: [tests], packages: [], folder: URL(fileURLWithPath: "/cache"),
            bridged: URL(fileURLWithPath: "/src/bridged"))
        #expect(package.manifest.contains(".testTarget(\n            name: \"AppTests\""))
        #expect(package.manifest.contains(".target(name: \"App\"), .product(name: \"UIKit\""))
        #expect(package.manifest.contains(".product(name: \"AppTesting\", package: \"appcode\")"))
    }
}
