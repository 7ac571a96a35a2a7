import BridgeProcesses
import Foundation
import TestSupport
import Testing

@testable import AppBuild

/// A hundred small apps with random names that nobody has: each compiles without them, and records where it went on
/// without them.
///
/// `BRIDGED_GENERATED_APPS` is the number of apps, `BRIDGED_SEED` repeats a run.
struct GeneratedAppsTests {
    @Test(.timeLimit(.minutes(20))) func everyPlaceThatIsCut_isRecordedOnce_andNoAppCrashes() async throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["BRIDGED_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64(UInt32.max))
        let count = environment["BRIDGED_GENERATED_APPS"].flatMap { Int($0) } ?? 100
        print("BRIDGED_SEED=\(seed)")
        let apps = (0..<count).map { GeneratedApp($0, SeededGenerator(seed: seed &+ UInt64($0))) }
        // The compiler needs minutes on a busy machine. Blocked for so long, one of the few threads that all tests share
        // would be missing.
        let run = try await offThread { Result { try GeneratedRun(apps) } }.get()
        // A task of an app may go on after the last line.
        #expect(run.output.contains("end"), "seed \(seed): the apps ended after \(run.output.suffix(3))")
        for app in apps {
            let records = run.output.filter { $0.hasPrefix("record \(app.name).swift:") }
            #expect(Set(records).count == records.count, "seed \(seed), \(app.name): a place is recorded twice")
            let lines = Set(records.compactMap { $0.split(separator: ":").last.flatMap { Int($0) } })
            let cut = run.cutLines["\(app.name).swift"] ?? []
            #expect(lines.isSubset(of: cut), "seed \(seed), \(app.name): a place is not cut")
            for expectation in app.expectations {
                #expect(
                    !lines.isDisjoint(with: expectation),
                    "seed \(seed), \(app.name): nothing is recorded in lines \(expectation.sorted())\n\(app.text)")
            }
        }
    }
}

/// What the apps printed, and the lines that were cut out of each file.
private struct GeneratedRun: Sendable {
    let output: [String]
    let cutLines: [String: Set<Int>]

    init(_ apps: [GeneratedApp]) throws {
        let build = try GeneratedBuild(apps)
        try build.repair()
        output = try build.run()
        cutLines = build.cutLines
    }
}

/// A module with the apps, and stand-ins for what apps import, so small that they compile in a moment.
private struct GeneratedBuild {
    private let fixture: Fixture
    private let package: LinuxPackage
    private let module: AppModule
    private let preparation: Preparation
    private let compiler: String
    private let arguments: [String]

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static let files = [
        "UIKit.swift": """
        import Foundation
        public enum AppleJSONSerialization {}
        @MainActor open class UIViewController { public init() {}; open func viewDidLoad() {} }
        """,
        "HeadlessSwiftUI.swift": """
        @_exported import UIKit
        @preconcurrency @MainActor public protocol View { associatedtype Body: View; @ViewBuilder var body: Body { get } }
        extension Never: View { public var body: Never { fatalError() } }
        public struct EmptyView: View { public init() {}; public var body: Never { fatalError() } }
        public struct Text: View { public init(_ text: String) {}; public var body: Never { fatalError() } }
        public struct Pair: View { public var body: Never { fatalError() } }
        public struct VStack<Content: View>: View {
            public init(@ViewBuilder _ content: () -> Content) { _ = content() }
            public var body: Never { fatalError() }
        }
        @MainActor @resultBuilder public enum ViewBuilder {
            public static func buildBlock() -> EmptyView { EmptyView() }
            public static func buildBlock<V: View>(_ view: V) -> V { view }
            public static func buildBlock<V: View, W: View>(_ view: V, _ other: W) -> Pair { Pair() }
        }
        """,
        "app/Common.swift": """
        import Foundation
        nonisolated(unsafe) var flag = true
        enum Kind { case a, b }
        class Thing { var value = 1; init() {}; init(_ x: Int) {}; func ask(_ then: (Int) -> Void) { then(1) } }
        func use(_ values: Any...) {}
        func run(_ body: () -> Void) { body() }
        """,
    ]

    init(_ apps: [GeneratedApp]) throws {
        fixture = try Fixture(GeneratedBuild.files)
        compiler = try #require(Executables.find(["swiftc"])).path
        module = try GeneratedBuild.write(apps, to: fixture)
        package = LinuxPackage(
            name: "Generated", modules: [module], packages: [],
            folder: fixture.folder.appendingPathComponent("build/package"),
            bridged: GeneratedBuild.root)
        let prepareApp = try PrepareApp(bridged: GeneratedBuild.root) { _ in }.build()
        // With SwiftPM instead, a user's first build takes minutes more.
        try #require(
            prepareApp.path.contains("/toolchain-"), "the toolchain's SwiftSyntax does not compile prepare-app")
        preparation = Preparation(
            executable: prepareApp,
            folder: fixture.folder.appendingPathComponent("build/links"), onChange: nil)
        arguments = ["-module-name", "Generated", "-I", fixture.folder.path, "-swift-version", "5"]
        let missing = GeneratedBuild.root.appendingPathComponent(
            "AppCode/Sources/HeadlessUIKit/System/MissingCode.swift")
        try compileLibrary("UIKit", [fixture.path("UIKit.swift"), missing.path])
        try compileLibrary("HeadlessSwiftUI", [fixture.path("HeadlessSwiftUI.swift"), "-lUIKit"])
    }

    private static func write(_ apps: [GeneratedApp], to fixture: Fixture) throws -> AppModule {
        for app in apps { try fixture.write(app.text, to: "app/\(app.name).swift") }
        var module = AppModule(name: "Generated")
        module.sources = (["Common"] + apps.map(\.name)).map { name in
            AppModule.File(file: fixture.folder.appendingPathComponent("app/\(name).swift"), path: "\(name).swift")
        }
        let calls = apps.map { "        print(\"\($0.name)\"); run\($0.name)()" }.joined(separator: "\n")
        try fixture.write(
            """
            import Foundation
            import UIKit
            @main enum Main {
                @MainActor static func main() {
                    setvbuf(stdout, nil, _IOLBF, 0)
                    MissingCode.shared.observe { print("record \\($0.file):\\($0.line)") }
            \(calls)
                    print("end")
                }
            }
            """, to: "Main.swift")
        return module
    }

    private func compileLibrary(_ name: String, _ sources: [String]) throws {
        try Tool(name: compiler).succeed(
            ["-module-name", name, "-parse-as-library", "-emit-module", "-emit-library", "-swift-version", "5", "-I"]
                + [fixture.folder.path, "-L", fixture.folder.path, "-emit-module-path"]
                + [fixture.path("\(name).swiftmodule"), "-o", fixture.path("lib\(name).so")] + sources)
    }

    /// Cuts until the module compiles.
    func repair() throws {
        try preparation.prepare(module, in: package.sources(of: module), repairs: package.repairs(of: module))
        try ModuleRepair(
            module: module, package: package, preparation: preparation,
            check: ModuleCheck(compiler: compiler, arguments: arguments + ["-parse-as-library"])
        ).run()
    }

    /// - Returns: the lines that the apps print.
    func run() throws -> [String] {
        let folder = package.sources(of: module)
        let sources = FolderContent.files(in: folder).filter { $0.hasSuffix(".swift") }
            .map { folder.appendingPathComponent($0).path }
        let program = fixture.path("generated")
        try Tool(name: compiler).succeed(
            arguments + ["-parse-as-library", "-suppress-warnings", "-wmo", "-Onone", "-L", fixture.folder.path]
                + ["-lUIKit", "-lHeadlessSwiftUI", "-Xlinker", "-rpath", "-Xlinker", fixture.folder.path]
                + sources + [fixture.path("Main.swift"), "-o", program])
        var tool = Tool(name: program)
        tool.limit = .seconds(120)
        return try tool.run([]).output.split(whereSeparator: \.isNewline).map(String.init)
    }

    var cutLines: [String: Set<Int>] {
        Repairs(package.repairs(of: module)).files.mapValues { Set($0.cuts.map(\.line)) }
    }
}
