// swift-tools-version: 6.2
import PackageDescription

/// Every module of ours: a warning is an error. (`swiftLanguageModes` below asks for Swift 6's concurrency checks.)
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "bridged",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "bridged", targets: ["BridgeDaemon"]),
        .library(name: "BridgeProtocol", targets: ["BridgeProtocol"]),
        .library(name: "BridgeServer", targets: ["BridgeServer"]),
        .library(name: "Turbo", targets: ["Turbo"]),
        .library(name: "BridgeTesting", targets: ["BridgeTesting"]),
        .library(name: "BridgeWebKit", targets: ["BridgeWebKit"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CJansson",
            pkgConfig: "jansson",
            providers: [.apt(["libjansson-dev"]), .brew(["jansson"])]
        ),
        .systemLibrary(
            name: "CWebsockets",
            pkgConfig: "libwebsockets",
            providers: [.apt(["libwebsockets-dev"]), .brew(["libwebsockets"])]
        ),
        .target(name: "BridgeProtocol", dependencies: ["CJansson"], swiftSettings: strict),
        .target(
            name: "BridgeServer",
            dependencies: [
                "BridgeProtocol", "CWebsockets", "WebFiles",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "WebFiles",
            path: "web",
            sources: ["WebFiles.swift"],
            resources: [.copy("bridge.js"), .copy("bridge"), .copy("turbo.js"), .copy("components.js"), .copy("demo")],
            swiftSettings: strict
        ),
        .target(
            name: "BridgeYAML",
            dependencies: ["BridgeProtocol", .product(name: "Yams", package: "Yams")],
            swiftSettings: strict
        ),
        .target(
            name: "BridgeArchive",
            dependencies: ["BridgeProtocol", "BridgeServer", .product(name: "GRDB", package: "GRDB.swift")],
            swiftSettings: strict
        ),
        .target(
            name: "BridgeWebKit", dependencies: ["BridgeProtocol", "BridgeServer"], swiftSettings: strict),
        .target(
            name: "Turbo", dependencies: ["BridgeProtocol", "BridgeServer", "BridgeWebKit"],
            swiftSettings: strict),
        .target(name: "BridgeClient", dependencies: ["BridgeProtocol"], swiftSettings: strict),
        .target(
            name: "BridgeTesting", dependencies: ["BridgeProtocol", "BridgeServer", "Turbo"], swiftSettings: strict),
        .target(
            name: "BridgeFlows",
            dependencies: ["BridgeProtocol", "BridgeServer", "BridgeTesting", "BridgeYAML", "Turbo"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "BridgeDaemon",
            dependencies: [
                "BridgeArchive", "BridgeClient", "BridgeFlows", "BridgeProtocol", "BridgeServer", "BridgeTesting",
                "BridgeYAML", "Turbo",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "Micro", dependencies: ["BridgeProtocol", "Turbo"], path: "Benchmarks/Micro",
            exclude: ["allocations.c"],
            swiftSettings: strict),
        .executableTarget(
            name: "EchoApp",
            dependencies: [
                "BridgeArchive", "BridgeProtocol", "BridgeServer",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Benchmarks/EchoApp",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "Load",
            dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")],
            path: "Benchmarks/Load",
            swiftSettings: strict
        ),
        .testTarget(name: "BridgeProtocolTests", dependencies: ["BridgeProtocol"], swiftSettings: strict),
        .target(
            name: "TestSupport",
            dependencies: ["BridgeProtocol", "BridgeServer"],
            path: "Tests/TestSupport",
            swiftSettings: strict
        ),
        .testTarget(
            name: "BridgeServerTests",
            dependencies: ["BridgeProtocol", "BridgeServer", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "BridgeArchiveTests",
            dependencies: ["BridgeArchive", "BridgeProtocol", "BridgeServer", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "BridgeWebKitTests",
            dependencies: ["BridgeProtocol", "BridgeServer", "BridgeWebKit", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "BridgeClientTests", dependencies: ["BridgeClient", "BridgeProtocol"], swiftSettings: strict),
        .testTarget(
            name: "BridgeDaemonTests",
            dependencies: [
                "BridgeArchive", "BridgeClient", "BridgeDaemon", "BridgeProtocol", "TestSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "TurboTests",
            dependencies: [
                "BridgeDaemon", "BridgeProtocol", "BridgeServer", "BridgeWebKit", "TestSupport", "Turbo",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "BrowserTests",
            dependencies: ["BridgeDaemon", "BridgeProtocol", "BridgeServer", "BridgeTesting", "TestSupport", "Turbo"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ConformanceTests",
            dependencies: ["BridgeProtocol", "BridgeServer", "BridgeTesting", "BridgeWebKit", "TestSupport"],
            exclude: ["known.json"],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)

// Apple's module name, where Apple's module is not: on a Mac it would shadow it.
#if os(Linux)
    package.targets.append(.target(name: "WebKit", dependencies: ["BridgeWebKit"], swiftSettings: strict))
    package.products.append(.library(name: "WebKit", targets: ["WebKit"]))
    // Apps' code as it is: Swift 5, and warnings are theirs.
    package.targets.append(
        .testTarget(name: "AppCodeTests", dependencies: ["WebKit"], swiftSettings: [.swiftLanguageMode(.v5)]))
#endif

// `scripts/fuzz` alone builds this; the variable says where libFuzzer is. The modules that it feeds count their branches.
if let library = Context.environment["BRIDGED_FUZZ"] {
    let counting: [SwiftSetting] = [.unsafeFlags(["-sanitize=fuzzer"])]
    for target in package.targets where ["BridgeProtocol", "BridgeServer"].contains(target.name) {
        target.swiftSettings? += counting
    }
    package.targets.append(.systemLibrary(name: "CFuzzer", path: "Fuzz/CFuzzer"))
    package.targets.append(
        .executableTarget(
            name: "Fuzz", dependencies: ["BridgeProtocol", "BridgeServer", "CFuzzer"], path: "Fuzz",
            exclude: ["CFuzzer", "Corpus"], swiftSettings: strict + counting,
            linkerSettings: [.unsafeFlags([library]), .linkedLibrary("stdc++"), .linkedLibrary("m")]))
}
