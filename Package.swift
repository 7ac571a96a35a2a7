// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// The settings of all our own modules: warnings are errors. (`swiftLanguageModes` turns on Swift 6's concurrency
/// checks.)
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// How `scripts/package` links the executables, smaller: with an object file that has less of ICU's data than Foundation
/// brings along, and without a table of their functions for other programs. (Relocations in their short form, `-z
/// pack-relative-relocs`, would need glibc 2.36, which Ubuntu 22.04 does not have.) If there are libraries in
/// `../lib/bridged`, as in a folder that was unpacked anywhere, they and what they need come from there: a DT_RPATH counts
/// for them as well, a DT_RUNPATH would not.
let packaged: [LinkerSetting] =
    Context.environment["BRIDGED_ICU"].map {
        let flags = [
            "--no-export-dynamic", "--icf=safe", "--disable-new-dtags", "-rpath", "$ORIGIN/../lib/bridged",
        ]
        return [.unsafeFlags([$0, "-use-ld=lld"] + flags.flatMap { ["-Xlinker", $0] })]
    } ?? []

/// Debian's file has a flag that SwiftPM warns of, and says nothing else that the compiler does not know.
#if os(macOS)
    let hiredis: String? = "hiredis"
#else
    let hiredis: String? = nil
#endif

let package = Package(
    name: "bridged",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "bridged", targets: ["BridgeDaemon"]),
        .library(name: "BridgeProtocol", targets: ["BridgeProtocol"]),
        .library(name: "BridgeServer", targets: ["BridgeServer"]),
        .library(name: "EmulatedApp", targets: ["EmulatedApp"]),
        .library(name: "PathConfiguration", targets: ["PathConfiguration"]),
        .library(name: "BridgeTesting", targets: ["BridgeTesting", "BridgeTestingTraits"]),
        // For apps that run flows: the trait would link Swift Testing.
        .library(name: "BridgeTestingWithoutTraits", targets: ["BridgeTesting"]),
        .library(name: "BridgeWebKit", targets: ["BridgeWebKit"]),
        .library(name: "HeadlessViews", targets: ["HeadlessViews"]),
    ],
    // Packages that use only some products need not fetch the rest: `.package(url: …, traits: [])`.
    traits: [
        .default(enabledTraits: ["Daemon", "Testing"]),
        .trait(name: "Daemon", description: "The executable: ArgumentParser, GRDB and UnixSignals."),
        .trait(name: "Testing", description: "BridgeTesting: Yams, for flows."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .systemLibrary(name: "CEditLine", pkgConfig: "libedit", providers: [.apt(["libedit-dev"])]),
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
        .systemLibrary(
            name: "CLibuv", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"]), .brew(["libuv"])]),
        .systemLibrary(
            name: "Chiredis", pkgConfig: hiredis, providers: [.apt(["libhiredis-dev"]), .brew(["hiredis"])]),
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        // `scripts/package` names the commit that it builds. (`Context.gitInformation` is of no use: SwiftPM remembers it
        // from the first build of a manifest.)
        .target(
            name: "CBuild",
            cSettings: Context.environment["BRIDGED_COMMIT"].map { [.define("BRIDGED_COMMIT", to: "\"\($0)\"")] } ?? []),
        // Without a library to link: the module looks its functions up when the program runs.
        .systemLibrary(name: "CCurl"),
        .target(name: "BridgeProtocol", dependencies: ["CJansson"], swiftSettings: strict),
        .target(name: "BridgeInput", dependencies: ["CCurl"], swiftSettings: strict),
        // What starts and ends other programs, and the folders that they need.
        .target(name: "BridgeProcesses", dependencies: ["CSpawn"], swiftSettings: strict),
        .target(name: "CSpawn"),
        .systemLibrary(name: "CMainQueue"),
        .target(
            name: "BridgeTraffic",
            dependencies: [
                "BridgeProtocol",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "BridgeServer",
            dependencies: [
                "BridgeProtocol", "BridgeTraffic", "CBuild", "CLibuv", "CMainQueue", "CWebsockets", "WebFiles",
                // libwebsockets' header includes OpenSSL's, which Homebrew has in a folder of its own.
                .target(name: "COpenSSL", condition: .when(platforms: [.macOS])),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict
        ),
        // A separate module, so that packages that embed the server do not need hiredis.
        .target(
            name: "BridgeCluster",
            dependencies: [
                "BridgeProtocol", "BridgeServer", "BridgeTraffic", "COpenSSL", "Chiredis",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .target(
            name: "WebFiles",
            path: "web",
            sources: ["WebFiles.swift"],
            resources: [
                .copy("bridge.js"), .copy("bridge"), .copy("driven.js"), .copy("elements.js"), .copy("tap.js"),
                .copy("turbo.js"), .copy("turbo-diagnosis.js"), .copy("components.js"),
                .copy("missing-components.js"), .copy("demo"), .copy("inspector"), .copy("trace"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "BridgeYAML",
            dependencies: [
                "BridgeInput", "BridgeProtocol",
                .product(name: "Yams", package: "Yams", condition: .when(traits: ["Testing"])),
            ],
            swiftSettings: strict
        ),
        // A separate module, so that packages that embed the server do not build GRDB.
        .target(
            name: "TrafficDatabase",
            dependencies: [
                "BridgeProtocol", "BridgeTraffic",
                .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["Daemon"])),
                .product(name: "GRDBSQLite", package: "GRDB.swift", condition: .when(traits: ["Daemon"])),
            ],
            swiftSettings: strict
        ),
        // What a web view inherits. The rest of UIKit is in the package `AppCode`.
        .target(name: "HeadlessViews", swiftSettings: strict),
        .target(
            name: "BridgeWebKit", dependencies: ["BridgeProtocol", "BridgeServer", "BridgeTraffic", "HeadlessViews"],
            swiftSettings: strict),
        .target(name: "PathConfiguration", dependencies: ["BridgeInput", "BridgeProtocol"], swiftSettings: strict),
        .target(
            name: "EmulatedApp",
            dependencies: [
                "BridgeInput", "BridgeProtocol", "BridgeServer", "BridgeTraffic", "BridgeWebKit", "PathConfiguration",
                "WebFiles",
            ],
            swiftSettings: strict),
        .target(
            name: "BridgeClient", dependencies: ["BridgeInput", "BridgeProtocol", "BridgeTraffic"],
            swiftSettings: strict),
        .target(
            name: "BridgeBrowsers",
            dependencies: [
                "BridgeClient", "BridgeInput", "BridgeProcesses", "BridgeProtocol", "BridgeTraffic", "CMainQueue",
                "WebFiles",
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            swiftSettings: strict),
        .target(
            name: "BridgeTesting",
            dependencies: [
                "BridgeBrowsers", "BridgeClient", "BridgeInput", "BridgeProcesses", "BridgeProtocol", "BridgeServer",
                "BridgeTraffic", "BridgeYAML", "EmulatedApp", "PathConfiguration", "WebFiles",
            ],
            swiftSettings: strict),
        .target(name: "BridgeTestingTraits", dependencies: ["BridgeTesting"], swiftSettings: strict),
        // Builds an app's own Swift for Linux, together with the package `AppCode`, which it finds in the sources of bridged.
        .target(name: "AppBuild", dependencies: ["BridgeProcesses", "BridgeProtocol"], swiftSettings: strict),
        .testTarget(
            name: "AppBuildTests", dependencies: ["AppBuild", "BridgeProcesses", "BridgeProtocol", "TestSupport"],
            swiftSettings: strict),
        .executableTarget(
            name: "BridgeDaemon",
            dependencies: [
                "AppBuild", "BridgeBrowsers", "BridgeClient", "BridgeCluster", "BridgeInput", "BridgeProcesses",
                "BridgeProtocol", "BridgeServer", "BridgeTesting", "BridgeTraffic", "BridgeYAML", "CEditLine",
                "EmulatedApp", "PathConfiguration", "TrafficDatabase",
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Daemon"])),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle", condition: .when(traits: ["Daemon"])),
            ],
            swiftSettings: strict,
            linkerSettings: packaged
        ),
        .executableTarget(
            name: "Micro", dependencies: ["BridgeProtocol", "BridgeTraffic", "PathConfiguration"],
            path: "Benchmarks/Micro",
            exclude: ["allocations.c"],
            swiftSettings: strict),
        .executableTarget(
            name: "EchoApp",
            dependencies: [
                "BridgeCluster", "BridgeProtocol", "BridgeServer", "BridgeTraffic", "TrafficDatabase",
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Daemon"])),
            ],
            path: "Benchmarks/EchoApp",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "Load",
            dependencies: [
                "BridgeClient", "BridgeProtocol",
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Daemon"])),
            ],
            path: "Benchmarks/Load",
            swiftSettings: strict
        ),
        .testTarget(
            name: "BridgeProcessesTests", dependencies: ["BridgeProcesses", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "BridgeProtocolTests", dependencies: ["BridgeProcesses", "BridgeProtocol", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "BridgeInputTests", dependencies: ["BridgeInput", "BridgeYAML", "TestSupport"], swiftSettings: strict),
        .target(
            name: "TestSupport",
            dependencies: [
                "BridgeProcesses", "BridgeProtocol", "BridgeServer", "BridgeTesting", "BridgeTraffic",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/TestSupport",
            swiftSettings: strict
        ),
        .testTarget(
            name: "BridgeTrafficTests",
            dependencies: [
                "BridgeProtocol", "BridgeServer", "BridgeTraffic", "Simulation", "TestSupport",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "BridgeServerTests",
            dependencies: [
                "BridgeProtocol", "BridgeServer", "BridgeTraffic", "TestSupport", "WebFiles",
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "Simulation",
            dependencies: [
                "BridgeCluster", "BridgeProcesses", "BridgeProtocol", "BridgeServer", "BridgeTraffic",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/Simulation",
            swiftSettings: strict
        ),
        .testTarget(
            name: "SimulationTests", dependencies: ["Simulation"], swiftSettings: strict),
        .testTarget(
            name: "BridgeClusterTests",
            dependencies: [
                "BridgeClient", "BridgeCluster", "BridgeProcesses", "BridgeProtocol", "BridgeServer", "BridgeTraffic",
                "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "TrafficDatabaseTests",
            dependencies: [
                "BridgeProtocol", "BridgeServer", "BridgeTraffic", "TestSupport", "TrafficDatabase",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "BridgeWebKitTests",
            dependencies: [
                "BridgeProcesses", "BridgeProtocol", "BridgeServer", "BridgeTesting", "BridgeTraffic", "BridgeWebKit",
                "EmulatedApp", "TestSupport",
            ],
            exclude: ["webkit-names.txt"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "BridgeClientTests",
            dependencies: [
                "BridgeClient", "BridgeProtocol", "BridgeTraffic", "TestSupport",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "BridgeBrowsersTests",
            dependencies: [
                "BridgeBrowsers", "BridgeClient", "BridgeProcesses", "BridgeProtocol", "BridgeServer", "BridgeTraffic",
                "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "BridgeDaemonTests",
            dependencies: [
                "BridgeClient", "BridgeDaemon", "BridgeProcesses", "BridgeProtocol", "BridgeTesting", "BridgeTraffic",
                "BridgeYAML", "TestSupport", "TrafficDatabase",
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Daemon"])),
                .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["Daemon"])),
            ],
            exclude: ["qr-codes.txt"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "PathConfigurationTests",
            dependencies: [
                "BridgeProtocol", "PathConfiguration", "TestSupport",
            ],
            swiftSettings: strict
        ),
        // Unchanged code of apps: Swift 5 mode, and its warnings are allowed.
        .target(
            name: "AppComponents", dependencies: ["BridgeWebKit", "EmulatedApp"], path: "Tests/AppComponents",
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "EmulatedAppTests",
            dependencies: [
                "AppComponents", "BridgeDaemon", "BridgeProtocol", "BridgeServer", "BridgeTesting", "BridgeTraffic",
                "BridgeWebKit", "BridgeYAML", "EmulatedApp",
                "PathConfiguration", "TestSupport",
            ],
            exclude: ["Recordings"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "BrowserTests",
            dependencies: [
                "BridgeBrowsers", "BridgeDaemon", "BridgeProcesses", "BridgeProtocol", "BridgeServer", "BridgeTesting",
                "BridgeTestingTraits", "BridgeTraffic", "BridgeWebKit", "BridgeYAML", "EmulatedApp",
                "PathConfiguration", "TestSupport",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ConformanceTests",
            dependencies: [
                "BridgeBrowsers", "BridgeProcesses", "BridgeProtocol", "BridgeServer", "BridgeTesting", "BridgeTraffic",
                "BridgeWebKit", "TestSupport",
            ],
            exclude: ["Compare/known.json", "known.json", "Recordings"],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)

// A module with the name of Apple's, only on Linux: on a Mac it would shadow Apple's.
#if os(Linux)
    package.targets.append(.target(name: "WebKit", dependencies: ["BridgeWebKit"], swiftSettings: strict))
    package.products.append(.library(name: "WebKit", targets: ["WebKit"]))
    // Unchanged code of apps: Swift 5 mode, and its warnings are allowed.
    package.targets.append(
        .testTarget(name: "WebKitTests", dependencies: ["WebKit"], swiftSettings: [.swiftLanguageMode(.v5)]))
#endif

// WebKit itself, where its library is installed: apt-get install libwebkit2gtk-4.1-dev
if FileManager.default.fileExists(atPath: "/usr/include/webkitgtk-4.1/webkit2/webkit2.h") {
    package.products.append(.executable(name: "bridged-webkit", targets: ["WebKitHost"]))
    package.targets += [
        .systemLibrary(
            name: "CWebKitGTK", pkgConfig: "webkit2gtk-4.1", providers: [.apt(["libwebkit2gtk-4.1-dev"])]),
        .executableTarget(
            name: "WebKitHost",
            dependencies: [
                "BridgeBrowsers", "BridgeClient", "BridgeProtocol", "CMainQueue", "CWebKitGTK",
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Daemon"])),
            ],
            swiftSettings: strict,
            linkerSettings: packaged),
        .testTarget(
            name: "WebKitHostTests",
            dependencies: [
                "BridgeBrowsers", "BridgeProcesses", "BridgeProtocol", "BridgeServer", "BridgeTraffic", "BridgeWebKit",
                "CWebKitGTK", "TestSupport", "WebKitHost",
            ],
            swiftSettings: strict),
    ]
}

// Only `scripts/fuzz` builds this target. The variable holds the path of libFuzzer. The fuzzed modules count their
// branches.
if let library = Context.environment["BRIDGED_FUZZ"] {
    let counting: [SwiftSetting] = [.unsafeFlags(["-sanitize=fuzzer"])]
    let fuzzed = ["BridgeClient", "BridgeProtocol", "BridgeServer", "BridgeTraffic"]
    for target in package.targets where fuzzed.contains(target.name) {
        target.swiftSettings? += counting
    }
    package.targets.append(.systemLibrary(name: "CFuzzer", path: "Fuzz/CFuzzer"))
    package.targets.append(
        .executableTarget(
            name: "Fuzz", dependencies: ["BridgeClient", "BridgeProtocol", "BridgeServer", "BridgeTraffic", "CFuzzer"],
            path: "Fuzz",
            exclude: ["CFuzzer", "Corpus"], swiftSettings: strict + counting,
            linkerSettings: [.unsafeFlags([library]), .linkedLibrary("stdc++"), .linkedLibrary("m")]))
}

// Only `scripts/autobahn` builds this target: a server that sends each WebSocket message back.
if Context.environment["BRIDGED_ECHO"] != nil {
    for target in package.targets where target.name == "BridgeServer" {
        target.swiftSettings? += [.define("BRIDGED_ECHO")]
    }
    package.targets.append(
        .executableTarget(
            name: "EchoServer", dependencies: ["BridgeServer"], path: "Tests/Autobahn", swiftSettings: strict))
}
