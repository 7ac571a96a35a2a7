// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that the daemon does not build SwiftSyntax.
let package = Package(
    name: "PrepareApp",
    products: [.executable(name: "prepare-app", targets: ["PrepareApp"])],
    dependencies: [.package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1")],
    targets: [
        .executableTarget(
            name: "PrepareApp",
            dependencies: [
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftSyntax", package: "swift-syntax"),
            ]),
        .testTarget(name: "PrepareAppTests", dependencies: ["PrepareApp"]),
    ],
    swiftLanguageModes: [.v6]
)
