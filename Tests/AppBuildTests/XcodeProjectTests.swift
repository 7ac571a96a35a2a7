import Foundation
import Testing

@testable import AppBuild

struct XcodeProjectTests {
    private func groups() throws -> (Fixture, AppSource) {
        let fixture = try Fixture([
            "ios/My.xcodeproj/project.pbxproj": Project.withGroups,
            "ios/App/Info.plist": """
            <plist version="1.0"><dict><key>Delegate</key><string>$(PRODUCT_MODULE_NAME).Scenes</string></dict></plist>
            """,
            "ios/Base.xcconfig": """
            #include "More.xcconfig"
            SWIFT_VERSION = 6.0 // the newest
            """,
            "ios/More.xcconfig": "SWIFT_ACTIVE_COMPILATION_CONDITIONS = STAGING\n#include \"Base.xcconfig\"",
            "Kit/Package.swift": "", "Own/Package.swift": "", "ios/App/AppDelegate.swift": "",
            "Shared/Shared.swift": "",
        ])
        return (fixture, try fixture.read("ios"))
    }

    @Test func files_areThoseOfTheTargetsPhases() throws {
        let (fixture, source) = try groups()
        #expect(
            source.modules.map(\.sources) == [
                [
                    .init(
                        file: URL(fileURLWithPath: fixture.path("ios/App/AppDelegate.swift")),
                        path: "App/AppDelegate.swift"),
                    .init(file: URL(fileURLWithPath: fixture.path("Shared/Shared.swift")), path: "Shared.swift"),
                ]
            ])
        #expect(source.resources.map(\.path) == ["rules.json", "en.lproj/Localizable.strings"])
        #expect(source.unsupported.map(\.lastPathComponent) == ["Old.m"])
    }

    @Test func settings_areThoseForDebugging_andOfConfigurationFiles() throws {
        let module = try #require(try groups().1.modules.first)
        #expect(module.name == "My_App" && module.kind == .app)
        #expect(module.languageMode == "6" && module.isOnMainActor)
        #expect(module.conditions == ["DEBUG", "STAGING"])
    }

    @Test func packages_areThoseOfReferences_andOfFolders() throws {
        let (fixture, source) = try groups()
        #expect(
            source.packages == [
                PackageReference(repository: "https://example.com/Team/Web-Kit.git", .range("1.2.0", "2.0.0")),
                PackageReference(folder: URL(fileURLWithPath: fixture.path("Own"))),
                PackageReference(folder: URL(fileURLWithPath: fixture.path("Kit"))),
            ])
        #expect(source.products.map(\.product) == ["WebParts", "Kit"])
        #expect(source.products.map(\.package) == ["web-kit", nil])
    }

    @Test func origins_areThoseOfStringsInSources_andInInfoPlist() throws {
        let fixture = try Fixture([
            "ios/My.xcodeproj/project.pbxproj": Project.withGroups,
            "ios/App/Info.plist": """
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict><key>Servers</key><array><dict><key>api</key>
            <string>http://localhost:3000/api</string></dict></array><key>Text</key><string>see http://b.c</string></dict></plist>
            """,
            "ios/App/AppDelegate.swift": "let home = \"https://example.com/home\"", "Shared/Shared.swift": "",
        ])
        #expect(try fixture.read("ios").origins == ["http://localhost:3000", "https://example.com"])
    }

    @Test func infoPlist_hasTheFilesValues_andThoseOfSettings() throws {
        let data = try #require(try groups().1.infoPlist)
        let list = try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
        #expect(list?["Delegate"] as? String == "My_App.Scenes")
        #expect(list?["CFBundleIdentifier"] as? String == "com.example.My-App")
        #expect(list?["CFBundleDisplayName"] as? String == "Mine")
        #expect(list?["UIRequiresFullScreen"] as? Bool == true)
    }

    @Test func folderOfXcode16_hasAllItsFiles_butTheExceptionsOfTheTarget() throws {
        let fixture = try Fixture([
            "Sample.xcodeproj/project.pbxproj": Project.withFolder, "App/Main.swift": "", "App/Info.plist": "",
            "App/Screens/List.swift": "", "App/Only/Test.swift": "", "App/Images.xcassets/Contents.json": "{}",
            "App/.hidden.swift": "",
        ])
        let source = try fixture.read("Sample.xcodeproj")
        #expect(source.modules.first?.sources.map(\.path) == ["App/Main.swift", "App/Screens/List.swift"])
        #expect(source.resources.map(\.path) == ["Images.xcassets"])
    }

    @Test func workspace_leadsToTheProjectOfTheApp() throws {
        let fixture = try Fixture([
            "Pods/Pods.xcodeproj/project.pbxproj": "{}", "Sample.xcodeproj/project.pbxproj": Project.withFolder,
            "App/Main.swift": "",
            "All.xcworkspace/contents.xcworkspacedata": """
            <Workspace version = "1.0"><FileRef location = "group:Pods/Pods.xcodeproj"></FileRef>
            <FileRef location = "group:Sample.xcodeproj"></FileRef></Workspace>
            """,
        ])
        #expect(try fixture.read().name == "Sample")
    }

    @Test(arguments: [
        ("none", "does not exist"), ("empty", "has no .xcodeproj, no .xcworkspace and no Package.swift"),
        ("two", "has several projects: A.xcodeproj, B.xcodeproj"), ("text/A.xcodeproj", "is no Xcode project"),
        ("gone/A.xcodeproj", "gone/App/AppDelegate.swift, which does not exist"),
        ("hollow/A.xcodeproj", "has no target for an app"), ("bare/A.xcodeproj", "has no Swift file"),
    ])
    func projectThatCannotBeUsed_isNamed(_ path: String, _ text: String) throws {
        let fixture = try Fixture([
            "empty/a.txt": "", "two/A.xcodeproj/project.pbxproj": "", "two/B.xcodeproj/project.pbxproj": "",
            "text/A.xcodeproj/project.pbxproj": "hello",
            "hollow/A.xcodeproj/project.pbxproj": Project.text(
                "T = {isa = PBXNativeTarget; name = Kit; productType = x;};"),
            "bare/A.xcodeproj/project.pbxproj": Project.withFolder,
            "gone/A.xcodeproj/project.pbxproj": Project.withGroups,
        ])
        let failure = #expect(throws: BuildFailure.self) { try fixture.read(path) }
        #expect(failure?.description.contains(text) == true, "\(String(describing: failure))")
    }

    @Test func severalApps_mustBeNamed() throws {
        let apps = ["T", "U"].map {
            "\($0) = {isa = PBXNativeTarget; name = App\($0); productType = \"com.apple.product-type.application\";};"
        }
        let text = Project.text(apps.joined(separator: "\n")).replacing("targets = (T)", with: "targets = (T, U)")
        let fixture = try Fixture(["A.xcodeproj/project.pbxproj": text])
        let failure = #expect(throws: BuildFailure.self) { try fixture.read() }
        #expect(failure?.description.contains("several apps: AppT, AppU. Say which: --target NAME") == true)
        let other = #expect(throws: BuildFailure.self) { try fixture.read(target: "Ap") }
        #expect(other?.description.contains("no app with the name Ap. Its apps: AppT, AppU.") == true)
    }

    /// What it takes to read settings, each of which is one of a kind that would fill the memory or take for ever.
    @Test(arguments: [
        (
            ["PRODUCT_NAME": "$(PRODUCT_NAME)$(PRODUCT_NAME)"],
            "names itself: PRODUCT_NAME → PRODUCT_NAME. Write its value"
        ),
        (["PRODUCT_NAME": "x$(B)", "B": "y$(PRODUCT_NAME)"], "names itself: PRODUCT_NAME → B → PRODUCT_NAME."),
        (chain(of: 25) { "$(\($0))$(\($0))" }, "has more than 262144 bytes"),
        // Nothing becomes longer here.
        (chain(of: 25, end: "") { "$(\($0))$(\($0))" }, "has more than 262144 bytes"),
        (chain(of: 40) { "$(\($0))" }, "names a setting that names another one, and so on for more than 32 settings"),
        (
            [
                "PRODUCT_NAME": "$(A)", "A": String(repeating: "$(B)", count: 3_000),
                "B": String(repeating: "b", count: 100),
            ],
            "has more than 262144 bytes"
        ),
    ])
    func settingThatGrowsWithoutEnd_isAnError(values: [String: String], text: String) throws {
        let settings = values.map { "\($0.key) = \"\($0.value)\";" }.joined(separator: " ")
        let project = Project.withGroups.replacing("PRODUCT_NAME = \"$(TARGET_NAME)\";", with: settings)
        try #require(project != Project.withGroups)
        let fixture = try Fixture([
            "ios/My.xcodeproj/project.pbxproj": project, "ios/App/AppDelegate.swift": "", "Shared/Shared.swift": "",
        ])
        let failure = #expect(throws: BuildFailure.self) { try fixture.read("ios") }
        let description = failure?.description ?? ""
        #expect(
            description.hasPrefix(
                "The build setting PRODUCT_NAME in \(fixture.path("ios/My.xcodeproj/project.pbxproj"))"))
        #expect(description.contains(text), "\(description)")
    }

    private static func chain(of count: Int, end: String = "x", _ link: (String) -> String) -> [String: String] {
        var values = ["S\(count)": end, "PRODUCT_NAME": link("S1")]
        for number in 1..<count { values["S\(number)"] = link("S\(number + 1)") }
        return values
    }

    @Test func settingThatNamesItself_isTheValueOfTheLowerLevel() throws {
        var settings = BuildSettings()
        settings.set("FLAGS", "A")
        for text in ["$(FLAGS) B", "$(inherited) C"] {
            try settings.merge(["FLAGS": BuildSettings.Setting(text: text, file: "a.xcconfig")])
        }
        #expect(try settings["FLAGS"] == "A B C")
    }

    @Test func infoPlistThatGrowsWithoutEnd_isAnError() throws {
        let (fixture, _) = try groups()
        let text = String(repeating: "$(PRODUCT_NAME)", count: 100_000)
        try fixture.write(
            "<plist version=\"1.0\"><dict><key>A</key><string>\(text)</string></dict></plist>", to: "ios/App/Info.plist"
        )
        let failure = #expect(throws: BuildFailure.self) { try fixture.read("ios") }
        #expect(failure?.description.contains("The file \(fixture.path("ios/App/Info.plist")) has more than") == true)
    }

    /// Each file includes the next one ten times.
    @Test func configurationFilesThatIncludeEachOtherAgainAndAgain_areAnError() throws {
        var files = (0..<7).map {
            ("ios/\($0).xcconfig", String(repeating: "#include \"\($0 + 1).xcconfig\"\n", count: 10))
        }
        files.append(("ios/7.xcconfig", "A = 1"))
        let fixture = try Fixture(Dictionary(uniqueKeysWithValues: files))
        let first = URL(fileURLWithPath: fixture.path("ios/0.xcconfig"))
        let failure = #expect(throws: BuildFailure.self) { try ConfigurationFile.settings(in: first) }
        #expect(failure?.description.contains("0.xcconfig includes more than 1000 files") == true)
    }
}
