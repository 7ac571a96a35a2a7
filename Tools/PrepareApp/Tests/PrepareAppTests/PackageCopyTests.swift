import Foundation
import Testing

@testable import PrepareApp

/// Copies of whole packages.
struct PackageCopyTests {
    private static let manifest = """
        // swift-tools-version: 5.9
        import PackageDescription
        let package = Package(
            name: "Shop",
            dependencies: [
                .package(url: "https://github.com/envoy/Embassy.git", from: "4.1.4"),
                .package(url: "https://example.test/Money.git", exact: "1.2.3"),
            ],
            targets: [
                .target(
                    name: "Shop", dependencies: [.product(name: "Money", package: "Money")], path: "Source",
                    exclude: ["Info.plist"], resources: [.copy("shop.js")]),
                .testTarget(
                    name: "ShopTests", dependencies: ["Shop", .product(name: "Embassy", package: "Embassy")],
                    path: "Tests"),
            ])
        """

    private func withPackage(_ body: (URL, URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("shop-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let from = folder.appendingPathComponent("from")
        for (path, text) in [
            ("Package.swift", PackageCopyTests.manifest), ("Source/Shop.swift", "import Foundation\n"),
            ("Source/shop.js", "1"), ("Source/Info.plist", "<plist/>"),
            ("Tests/ShopTests.swift", "import XCTest\n@MainActor class A: XCTestCase { func test_b() {} }\n"),
        ] {
            let file = from.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        try body(from, folder.appendingPathComponent("to"))
    }

    @Test func copy_dependsOnBridged_andOnTheStandInsForTestLibraries() throws {
        try withPackage { from, to in
            try PackageCopy(from: from, to: to, bridged: URL(fileURLWithPath: "/bridged"), extraTests: nil).prepare {
                _ in
            }
            let manifest = try String(contentsOf: to.appendingPathComponent("Package.swift"), encoding: .utf8)
            #expect(manifest.contains(#".package(name: "bridged", path: "/bridged", traits: ["Testing"])"#))
            #expect(manifest.contains(#".package(url: "https://example.test/Money.git", exact: "1.2.3")"#))
            #expect(manifest.contains(#".product(name: "Embassy", package: "AppTestSupport")"#))
            #expect(!manifest.contains("envoy"))
            #expect(manifest.contains(#"resources: [.copy("shop.js")]"#))
            let tests = try String(contentsOf: to.appendingPathComponent("ShopTests/ShopTests.swift"), encoding: .utf8)
            #expect(tests.contains("onMainActor_test_b"))
            let names = try FileManager.default.contentsOfDirectory(atPath: to.appendingPathComponent("Shop").path)
            #expect(names.sorted() == ["FoundationOnLinux.swift", "Shop.swift", "shop.js"])
        }
    }

    @Test func testsThatTheManifestDoesNotName_areAdded() throws {
        try withPackage { from, to in
            let copy = PackageCopy(
                from: from, to: to, bridged: URL(fileURLWithPath: "/bridged"), extraTests: "MoreTests=Tests")
            try copy.prepare { _ in }
            let manifest = try String(contentsOf: to.appendingPathComponent("Package.swift"), encoding: .utf8)
            #expect(manifest.contains(#"name: "MoreTests""#))
        }
    }

    @Test func missingFolder_isNamed() throws {
        try withPackage { from, to in
            let copy = PackageCopy(
                from: from, to: to, bridged: URL(fileURLWithPath: "/bridged"), extraTests: "MoreTests=Nowhere")
            let error = #expect(throws: PackageError.self) { try copy.prepare { _ in } }
            #expect(error?.text.contains("'MoreTests' should be in") == true)
        }
    }
}
