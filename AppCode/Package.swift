// swift-tools-version: 6.2
import PackageDescription

// What an app's own Swift is built with on Linux: stand-ins for Apple's modules, and what runs and tests the app. `bridged
// run` and `bridged test --app` build apps with this package. It is apart from bridged's own, so that whoever only wants
// the bridge does not build it.

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

func bridged(_ product: String) -> Target.Dependency { .product(name: product, package: "bridged") }

let package = Package(
    name: "AppCode",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "bridged", path: "..", traits: ["Testing"]),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        // Stands in for Apple's Combine, of which SwiftUI's observed objects are made.
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    ],
    targets: [
        .target(name: "HeadlessUIKit", dependencies: [bridged("HeadlessViews")], swiftSettings: strict),
        .target(
            name: "HeadlessSwiftUI",
            dependencies: ["HeadlessUIKit", .product(name: "OpenCombineShim", package: "OpenCombine")],
            swiftSettings: strict),
        .target(name: "HeadlessOSLog", swiftSettings: strict),
        .target(
            name: "AppHost",
            dependencies: [
                "HeadlessUIKit", bridged("BridgeProtocol"), bridged("BridgeServer"), bridged("BridgeWebKit"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        // Linked into an app that flows test, and into the tests of apps. The C code calls its Swift code before `main`.
        .target(name: "CAppTesting"),
        .target(
            name: "AppTesting",
            dependencies: [
                "AppHost", "CAppTesting", "HeadlessUIKit", bridged("BridgeProtocol"), bridged("BridgeServer"),
                bridged("BridgeTestingWithoutTraits"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HeadlessUIKitTests",
            dependencies: [
                "AppHost", "HeadlessSwiftUI", "HeadlessUIKit", bridged("BridgeProtocol"), bridged("BridgeServer"),
            ],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)

// A module with the name of Apple's, only on Linux: on a Mac it would shadow Apple's.
#if os(Linux)
    package.targets += [
        .target(
            name: "UIKit",
            dependencies: ["HeadlessUIKit", .product(name: "OpenCombineShim", package: "OpenCombine")],
            swiftSettings: strict),
        .target(name: "_Testing_UIKit"),
    ]
    package.products += [
        // Everything that an app for iOS imports, but for WebKit, which is a product of bridged.
        .library(name: "UIKit", targets: ["UIKit", "HeadlessSwiftUI", "HeadlessOSLog"]),
        .library(name: "AppHost", targets: ["AppHost"]),
        .library(name: "AppTesting", targets: ["AppTesting", "_Testing_UIKit"]),
    ]
    package.targets += [
        // A small app, whose flows are tests of `bridged test --app`.
        .executableTarget(
            name: "FlowApp",
            dependencies: ["AppHost", "AppTesting", "UIKit", bridged("BridgeTestingWithoutTraits"), bridged("WebKit")],
            path: "Tests/FlowApp",
            swiftSettings: strict),
        .testTarget(
            name: "AppTestingTests",
            dependencies: [
                "FlowApp", "UIKit", "_Testing_UIKit", bridged("BridgeProtocol"), bridged("BridgeTestingWithoutTraits"),
            ],
            swiftSettings: strict),
    ]
#endif
