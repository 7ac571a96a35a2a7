import Foundation
import Testing

@testable import AppBuild

struct BuildTests {
    @Test func manifest_hasEachModuleWithItsSettings() {
        var app = AppModule(name: "App", kind: .app)
        app.conditions = ["DEBUG", "A\"B"]
        app.isOnMainActor = true
        app.dependencies = [.module("Kit"), .product("Plain", package: "plain")]
        var kit = AppModule(name: "Kit")
        kit.resources = [.init(path: "turbo.js", isCopied: true), .init(path: "Images", isCopied: false)]
        kit.resourceFiles = [.init(file: URL(fileURLWithPath: "/k/turbo.js"), path: "turbo.js")]
        let package = LinuxPackage(
            name: "App", modules: [app, kit], packages: [URL(fileURLWithPath: "/p/plain")],
            folder: URL(fileURLWithPath: "/cache"), bridged: URL(fileURLWithPath: "/src/Bridged"))
        #expect(
            package.manifest.hasSuffix(
                #"""
                let package = Package(
                    name: "App",
                    defaultLocalization: "en",
                    dependencies: [
                        .package(path: "/src/Bridged", traits: ["Testing"]),
                        .package(path: "/src/Bridged/AppCode"),
                        .package(path: "/p/plain")
                    ],
                    targets: [
                        .executableTarget(
                            name: "App",
                            dependencies: [.target(name: "Kit"), .product(name: "Plain", package: "plain"), .product(name: "UIKit", package: "appcode"), .product(name: "AppHost", package: "appcode"), .product(name: "AppTesting", package: "appcode"), .product(name: "WebKit", package: "bridged")],
                            resources: [],
                            swiftSettings: [.swiftLanguageMode(.v5), .defaultIsolation(MainActor.self), .define("DEBUG"), .define("A\u{22}B")]),
                        .target(
                            name: "Kit",
                            dependencies: [.product(name: "UIKit", package: "appcode"), .product(name: "WebKit", package: "bridged")],
                            resources: [.copy("turbo.js")],
                            swiftSettings: [.swiftLanguageMode(.v5)])
                    ]
                )

                """#), "\(package.manifest)")
    }

    @Test func appThatImportsCombine_getsTheLibraryThatStandsInForIt() throws {
        let fixture = try Fixture(["a.swift": "import Foundation\n@preconcurrency import Combine\n"])
        var app = AppModule(name: "App", kind: .app)
        app.sources = [.init(file: fixture.folder.appendingPathComponent("a.swift"), path: "a.swift")]
        let package = LinuxPackage(
            name: "App", modules: [app], packages: [], folder: fixture.folder, bridged: fixture.folder)
        #expect(package.manifest.contains("https://github.com/OpenCombine/OpenCombine"))
        #expect(package.manifest.contains(#".product(name: "OpenCombineShim", package: "OpenCombine")"#))
    }

    @Test func compilersErrors_areAtTheAppsOwnFiles_andMissingNamesAreCounted() {
        let output = """
            /cache/Sources/App/A.swift:3:7: error: cannot find type 'UIMapView' in scope
            /cache/Sources/App/A.swift:3:7: error: cannot find type 'UIMapView' in scope
            /cache/Sources/App/A.swift:9:1: error: cannot find 'UIMapView' in scope
            /cache/Sources/App/A.swift:1:8: error: no such module 'MapKit'
            /cache/Sources/App/A.swift:4:1: error: value of type 'Screen' has no member 'snap'
            /cache/Sources/App/A.swift:5:1: warning: unused
            """
        let errors = CompilerErrors(output, originals: ["/cache/Sources/App/A.swift": "/app/A.swift"])
        #expect(
            errors.problems.map(\.place) == [
                "/app/A.swift:3:7", "/app/A.swift:9:1", "/app/A.swift:1:8", "/app/A.swift:4:1",
            ])
        #expect(errors.missing.map(\.name) == ["UIMapView", "Screen.snap", "module MapKit"])
        #expect(errors.description.contains("UIMapView (2 places): of UIKit, WebKit or SwiftUI, which bridged lacks"))
        #expect(errors.description.contains("Screen.snap: neither in the app nor in bridged"))
        #expect(errors.description.contains("module MapKit: of Apple's frameworks that Linux lacks"))
    }

    @Test func missingNames_areToldApart() {
        var kinds = MissingKinds()
        kinds.pods = ["FirebaseCore"]
        kinds.otherTargets = ["Shared"]
        kinds.objectiveC = ["interface", "Old", "NSObject"]
        #expect(kinds.kind(of: "module FirebaseCore") == .pod)
        #expect(kinds.kind(of: "module Shared") == .otherTarget)
        #expect(kinds.kind(of: "Old.start") == .objectiveC)
        #expect(kinds.kind(of: "HKHealthStore") == .framework && kinds.kind(of: "module HealthKit") == .framework)
        #expect(kinds.kind(of: "UIView.snap") == .ours && kinds.kind(of: "WKDownload") == .ours)
        #expect(kinds.kind(of: "Screen.snap") == .unknown && kinds.kind(of: "module Own") == .unknown)
        #expect(
            kinds.lines(for: ["`HKHealthStore`", "`HKQuery`", "`HKQuery`", "no name"])
                == ["  HKHealthStore, HKQuery: \(MissingKinds.Kind.framework.advice)"])
    }

    @Test func check_hasTheSettingsOfTheBuild_andWritesNothing() throws {
        let fixture = try Fixture([
            "sources": "/a/App.swift\n/b/App.build/DerivedSources/resource_bundle_accessor.swift\n"
        ])
        try fixture.write(
            """
                args: ["/bin/swiftc","-module-name","App","-emit-executable"]
                args: ["/bin/swiftc","-module-name","App","-emit-module","-emit-module-path","/m","-c","@\(fixture.path("sources"))","-I","/i","-j2","-DX","-Xcc","-c","-g"]
            """, to: "debug.yaml")
        let check = try #require(ModuleCheck("App", in: fixture.folder))
        #expect(check.compiler == "/bin/swiftc")
        #expect(
            check.arguments == [
                "-module-name", "App", "/b/App.build/DerivedSources/resource_bundle_accessor.swift", "-I", "/i", "-DX",
                "-Xcc", "-c",
            ])
        #expect(ModuleCheck("Other", in: fixture.folder) == nil)
    }

    @Test func filesThatHaveNotChanged_areNotWrittenAgain() throws {
        let fixture = try Fixture(["a.txt": "one"])
        let file = fixture.folder.appendingPathComponent("a.txt")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: file.path)
        try Files.write(Data("one".utf8), to: file)
        #expect(
            try FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate] as? Date
                == Date(timeIntervalSince1970: 0))
        try Files.write(Data("two".utf8), to: file)
        #expect(try String(contentsOf: file, encoding: .utf8) == "two")
    }

    @Test func cutsAreForgotten_ifWhatTheModulesAreCompiledWithChanges() throws {
        let fixture = try Fixture(["App.swift": "let a = 1", "Kit/Kit.swift": "let b = 1"])
        var app = AppModule(name: "App", kind: .app)
        app.sources = [.init(file: URL(fileURLWithPath: fixture.path("App.swift")), path: "App.swift")]
        let preparation = Preparation(
            executable: URL(fileURLWithPath: "/bin/true"), folder: fixture.folder.appendingPathComponent("build/links"),
            onChange: nil)
        let package = LinuxPackage(
            name: "App", modules: [app], packages: [URL(fileURLWithPath: fixture.path("Kit"))],
            folder: URL(fileURLWithPath: fixture.path("build/package")), bridged: URL(fileURLWithPath: "/none"))
        let cuts = package.repairs(of: app)
        func keepsCuts() throws -> Bool {
            try Files.write(Data("{}".utf8), to: cuts)
            try package.write(with: preparation)
            return FileManager.default.fileExists(atPath: cuts.path)
        }
        #expect(try !keepsCuts() && keepsCuts())
        try fixture.write("let b = 23", to: "Kit/Kit.swift")
        #expect(try !keepsCuts() && keepsCuts())
        try fixture.write("let a = 23", to: "App.swift")
        #expect(try !keepsCuts() && keepsCuts())
    }

    @Test func programThatFails_isReportedWithItsLastLines() throws {
        let failure = #expect(throws: BuildFailure.self) {
            try Tool(name: "sh").succeed(["-c", "echo why >&2; exit 3"])
        }
        #expect(failure?.description == "sh -c echo why >&2; exit 3 failed:\n  why")
        #expect(try Tool(name: "sh").run(["-c", "exit 3"]).status == 3)
        #expect(throws: BuildFailure.self) { try Tool(name: "no-such-program").run([]) }
    }

    @Test func programThatHangs_isEnded() throws {
        var tool = Tool(name: "sleep")
        tool.limit = .milliseconds(100)
        let failure = #expect(throws: BuildFailure.self) { try tool.run(["1000"]) }
        #expect(failure?.description.hasPrefix("sleep 1000 had not ended after 0.1 seconds, and was ended.") == true)
    }

    @Test func programThatASignalEnds_isReported() throws {
        let failure = #expect(throws: BuildFailure.self) { try Tool(name: "sh").run(["-c", "kill -KILL $$"]) }
        #expect(
            failure?.description
                == "sh -c kill -KILL $$ was ended by the signal 9. Linux does that if no memory is left.")
    }

    @Test func programThatWritesWithoutEnd_isEnded() throws {
        let failure = #expect(throws: BuildFailure.self) { try Tool(name: "yes").run(["no"]) }
        #expect(failure?.description.hasPrefix("yes no wrote more than 64 MiB, and was ended.") == true)
    }
}
