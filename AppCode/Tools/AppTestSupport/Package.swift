// swift-tools-version: 6.2
import PackageDescription

// Stand-ins for libraries that tests of apps use and that Linux lacks, under the names of their modules. They declare
// what the tests of Hotwire's frameworks call.
let package = Package(
    name: "AppTestSupport",
    products: [
        .library(name: "OHHTTPStubs", targets: ["OHHTTPStubs"]),
        .library(name: "OHHTTPStubsSwift", targets: ["OHHTTPStubsSwift"]),
        .library(name: "Embassy", targets: ["Embassy"]),
    ],
    targets: [
        .target(name: "CBeforeMain"),
        .target(name: "OHHTTPStubs", dependencies: ["CBeforeMain"]),
        .target(name: "OHHTTPStubsSwift", dependencies: ["OHHTTPStubs"]),
        .target(name: "Embassy"),
        .testTarget(name: "AppTestSupportTests", dependencies: ["Embassy", "OHHTTPStubs", "OHHTTPStubsSwift"]),
    ],
    swiftLanguageModes: [.v6]
)
