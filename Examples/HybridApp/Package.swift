// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "HybridApp",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "bridged", path: "../..")],
    targets: [
        .executableTarget(
            name: "HybridApp",
            dependencies: [
                .product(name: "BridgeServer", package: "bridged"),
                .product(name: "WebKit", package: "bridged"),
            ])
    ]
)
