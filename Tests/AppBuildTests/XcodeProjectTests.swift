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

    @Test func settingThatNamesItself_ends() {
        var settings = BuildSettings()
        settings["A"] = "x$(B)"
        settings["B"] = "y$(A)"
        #expect(settings["A"]?.hasPrefix("xyxy") == true)
    }
}
