// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Shop",
    platforms: [.macOS(.v15)],
    dependencies: [
        // The URL of your copy of the repository. In CI a mirror leads from it to a local clone: see run-in-ci.
        // The trait keeps the packages of the executable away.
        .package(url: "https://git.example.com/bridged.git", branch: "main", traits: ["Testing"])
    ],
    targets: [
        // The messages of the app and their handlers.
        .target(name: "Shop", dependencies: [.product(name: "BridgeServer", package: "bridged")]),
        // A server with these handlers, embedded in a program.
        .executableTarget(name: "ShopServer", dependencies: ["Shop"]),
        // The bridge code of an iOS app.
        .target(name: "PhoneApp", dependencies: [.product(name: "WebKit", package: "bridged")]),
        .testTarget(
            name: "ShopTests",
            dependencies: ["PhoneApp", "Shop", .product(name: "BridgeTesting", package: "bridged")]),
    ]
)
