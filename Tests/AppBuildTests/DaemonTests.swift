import BridgeProtocol
import Foundation
import Testing

@testable import AppBuild

/// What the manifest of bridged itself says.
struct DaemonTests {
    /// Whoever wants the bridge compiles what a web view inherits, and nothing else of UIKit.
    @Test func bridge_doesNotNeedUIKit() throws {
        let scratch = try Fixture([:])
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        // Another folder than that of the tests, which SwiftPM may have locked.
        let output = try Tool(name: "swift").succeed([
            "package", "--package-path", root.path, "--scratch-path", scratch.folder.path, "dump-package",
        ])
        let start = try #require(output.firstIndex(of: "{"))
        let manifest = PackageManifest(try JSON.parse(String(output[start...])), in: root)
        let modules = manifest.closure(of: try #require(manifest.products["bridged"])).map(\.name)
        #expect(modules.contains("BridgeServer") && modules.contains("HeadlessViews") && !modules.contains("WebKit"))
        let apps = ["UIKit", "HeadlessUIKit", "HeadlessSwiftUI", "HeadlessOSLog", "AppHost", "AppTesting"]
        #expect(manifest.targets.map(\.name).filter(apps.contains) == [])
    }
}
