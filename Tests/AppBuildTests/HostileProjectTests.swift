import Foundation
import Testing

@testable import AppBuild

/// Projects that nobody has checked: what prepares an app must neither run anything of theirs, nor write anywhere else, nor
/// take for ever.
@Suite(.timeLimit(.minutes(2))) struct HostileProjectTests {
    /// A manifest is a program, which runs when it is read.
    @Test(arguments: [
        (#"a"b\c"#, #""a\u{22}b\u{5c}c""#), ("a\r\nb\tc", #""a\u{d}\u{a}b\u{9}c""#),
        // Scalars that make one Character of themselves and of what follows or comes before.
        ("\u{600}\")\\(1)", #""\u{600}\u{22})\u{5c}(1)""#), ("\"\u{200D}", #""\u{22}\u{200d}""#),
        ("Über", #""\u{dc}ber""#),
    ])
    func textInTheManifest_staysAText(text: String, literal: String) {
        #expect(SwiftText.quoted(text) == literal)
    }

    @Test func targetOfTests_isNoPlaceElsewhere() throws {
        let text = Project.text(
            """
            T = {isa = PBXNativeTarget; name = "../../x"; productType = "com.apple.product-type.bundle.unit-test";
                 buildConfigurationList = L; buildPhases = (); fileSystemSynchronizedGroups = (A);};
            G = {isa = PBXGroup; children = (A); sourceTree = "<group>";};
            A = {isa = PBXFileSystemSynchronizedRootGroup; path = Tests; sourceTree = "<group>";};
            """)
        let fixture = try Fixture(["A.xcodeproj/project.pbxproj": text, "Tests/A.swift": ""])
        #expect(try fixture.read(hasTests: true).name == "______x")
    }

    @Test(arguments: ["../../x", "a/b", ".."])
    func nameInAManifest_isNoPlaceElsewhere(name: String) throws {
        let fixture = try Fixture([
            "Package.swift": """
            // swift-tools-version: 5.9
            import PackageDescription
            let package = Package(name: "Kit", targets: [.executableTarget(name: "\(name)", path: "Sources")])
            """,
            "Sources/main.swift": "",
        ])
        let failure = #expect(throws: BuildFailure.self) { try fixture.read() }
        #expect(failure?.description.contains("'\(name)', which cannot be that of a file") == true, "\(failure as Any)")
    }

    /// Two clones of an app have the same manifest, and each its own packages beside it.
    @Test func manifestIsReadAgain_inAnotherFolder() throws {
        let manifest = """
            // swift-tools-version: 5.9
            import PackageDescription
            let package = Package(name: "App", dependencies: [.package(path: "../Kit")],
                targets: [.executableTarget(name: "App", path: "Sources")])
            """
        let fixture = try Fixture([
            "one/App/Package.swift": manifest, "one/App/Sources/main.swift": "",
            "two/App/Package.swift": manifest, "two/App/Sources/main.swift": "",
        ])
        #expect(
            try fixture.read("one/App").packages.last == .init(folder: URL(fileURLWithPath: fixture.path("one/Kit"))))
        #expect(
            try fixture.read("two/App").packages.last == .init(folder: URL(fileURLWithPath: fixture.path("two/Kit"))))
    }

    // MARK: Links

    /// A link in the bundle would lead what is written later, or the next file, to another place.
    @Test func resources_areWrittenIntoTheBundleOnly() throws {
        let fixture = try Fixture(["outside/flows": "mine", "outside/a.strings": "mine", "app/a.strings": "theirs"])
        let manager = FileManager.default
        func link(_ path: String, to other: String) throws -> URL {
            try manager.createSymbolicLink(atPath: fixture.path(path), withDestinationPath: fixture.path(other))
            return URL(fileURLWithPath: fixture.path(path))
        }
        let bundle = fixture.folder.appendingPathComponent("App.app")
        try Files.copy(
            [
                .init(file: try link("app/bridged-flows", to: "outside/flows"), path: "bridged-flows"),
                .init(file: try link("app/en.lproj", to: "outside"), path: "en.lproj"),
                .init(file: URL(fileURLWithPath: fixture.path("app/a.strings")), path: "en.lproj/a.strings"),
            ], to: bundle)
        try Files.write(Data("yes".utf8), to: bundle.appendingPathComponent("bridged-flows"))
        func text(_ path: String) throws -> String { try String(contentsOfFile: fixture.path(path), encoding: .utf8) }
        #expect(try text("outside/flows") == "mine" && text("outside/a.strings") == "mine")
        #expect(try text("App.app/bridged-flows") == "yes" && text("App.app/en.lproj/a.strings") == "theirs")
    }

    @Test(arguments: ["../a", "/", "", "a//b", "en.lproj/.."])
    func fileWithAPathToAnotherPlace_isAnError(path: String) throws {
        let fixture = try Fixture(["a": "", "kept/b": ""])
        let file = AppModule.File(file: URL(fileURLWithPath: fixture.path("a")), path: path)
        #expect(throws: BuildFailure.self) { try Files.copy([file], to: fixture.folder.appendingPathComponent("kept")) }
        #expect(FileManager.default.fileExists(atPath: fixture.path("kept/b")))
    }

    // MARK: Clones

    private func repository(_ fixture: Fixture, _ path: String, _ text: String, tag: String = "1.0.0") throws -> String
    {
        try fixture.write("// \(text)", to: "\(path)/Package.swift")
        for arguments in [
            ["init", "--quiet"], ["add", "."], ["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "A"],
            ["tag", tag],
        ] {
            try Tool(name: "git").succeed(["-C", fixture.path(path)] + arguments)
        }
        return fixture.path(path)
    }

    /// Otherwise an app could leave code for the next one.
    @Test func cloneOfAnotherRepository_isNotUsed() throws {
        let fixture = try Fixture([:])
        let checkouts = Checkouts(
            cache: fixture.folder.appendingPathComponent("checkouts"), pins: PackagePins(), overrides: [:],
            log: { _ in })
        var folders: [URL] = []
        for name in ["theirs", "mine", "theirs", "mine"] {
            let place = try repository(fixture, "\(name)\(folders.count)/kit", name)
            folders.append(try checkouts.folder(of: PackageReference(repository: place, .exactly("1.0.0"))))
            let place2 = PackageReference(repository: place, .exactly("1.0.0"))
            #expect(try checkouts.folder(of: place2) == folders.last, "A second time it is not fetched.")
        }
        let texts = try folders.map {
            try String(contentsOf: $0.appendingPathComponent("Package.swift"), encoding: .utf8)
        }
        #expect(texts == ["// theirs", "// mine", "// theirs", "// mine"])
    }

    @Test func clone_staysInTheCache() throws {
        let fixture = try Fixture([:])
        let checkouts = Checkouts(
            cache: fixture.folder.appendingPathComponent("a/checkouts"), pins: PackagePins(), overrides: [:],
            log: { _ in })
        // `/` after U+0600 is no Character of its own, so that all of it is the last part of the address.
        let place = try repository(fixture, "a\u{600}/x", "x")
        let folder = try checkouts.folder(of: PackageReference(repository: place, .exactly("1.0.0")))
        #expect(folder.deletingLastPathComponent().lastPathComponent == "checkouts")
        #expect(folder.lastPathComponent.allSatisfy { $0.isASCII && $0 != "/" }, "\(folder.path)")
    }

    @Test func versionThatIsAnOption_isAnError() throws {
        let fixture = try Fixture([:])
        let checkouts = Checkouts(cache: fixture.folder, pins: PackagePins(), overrides: [:], log: { _ in })
        let package = PackageReference(repository: fixture.path("kit"), .exactly("--orphan=x"))
        let failure = #expect(throws: BuildFailure.self) { try checkouts.folder(of: package) }
        #expect(failure?.description.contains("the version '--orphan=x' of kit, which is none") == true)
    }

    // MARK: Size and depth

    @Test func groupsInGroups_areFoundHoweverDeep() throws {
        let groups = (0..<20_000).map { "g\($0) = {isa = PBXGroup; children = (g\($0 + 1));};" }
        let project = Project.withFolder.replacing("children = (A)", with: "children = (g0)")
            .replacing("A = {isa", with: "g20000 = {isa = PBXGroup; children = (A);}; \(groups.joined())\nA = {isa")
        let fixture = try Fixture(["A.xcodeproj/project.pbxproj": project, "App/Main.swift": ""])
        #expect(try fixture.read().modules.first?.sources.map(\.path) == ["App/Main.swift"])
    }

    @Test func schemeWithoutEnds_takesNoTime() {
        for text in ["<LaunchAction ", "<LaunchAction><EnvironmentVariable ", "<LaunchAction a=\"", "a"] {
            #expect(XcodeScheme(name: "A", String(repeating: text, count: 20_000)) == nil)
        }
    }

    @Test func blanksAndEmptyLines_takeNoTime() throws {
        let blanks = String(repeating: " ", count: 100_000)
        let lines = String(repeating: "\n", count: 100_000)
        let fixture = try Fixture([
            "a.xcconfig": "A = x\(blanks)x\nB=1 // one\n  C  =  https:/ /a  // b\nD[sdk=x] = 1\n// E = 1",
            "Blank.swift": "\(lines)import Foundation\n\(blanks)x",
            "Combine.swift": "\(lines)@testable import Combine \n",
            "Podfile": "\(lines)  pod 'Kit/Core'\n",
        ])
        func file(_ name: String) -> AppModule.File {
            .init(file: URL(fileURLWithPath: fixture.path(name)), path: name)
        }
        let settings = try ConfigurationFile.settings(in: file("a.xcconfig").file).mapValues(\.text)
        #expect(settings == ["A": "x\(blanks)x", "B": "1", "C": "https:/ /a"])
        #expect(!AppModule(name: "A", sources: [file("Blank.swift")]).importsCombine)
        #expect(AppModule(name: "A", sources: [file("Blank.swift"), file("Combine.swift")]).importsCombine)
        #expect(MissingKinds(AppSource(modules: []), project: fixture.folder).pods == ["Kit"])
    }
}
