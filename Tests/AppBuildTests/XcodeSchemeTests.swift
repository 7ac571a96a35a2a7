import Foundation
import Testing

@testable import AppBuild

struct XcodeSchemeTests {
    private static func scheme(_ target: String, _ variables: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <Scheme LastUpgradeVersion = "1240" version = "1.3">
           <TestAction>
              <EnvironmentVariables><EnvironmentVariable key = "TESTS" value = "1" isEnabled = "YES"/></EnvironmentVariables>
           </TestAction>
           <LaunchAction buildConfiguration = "Debug">
              <BuildableProductRunnable runnableDebuggingMode = "0">
                 <BuildableReference BuildableIdentifier = "primary" BlueprintName = "\(target)"></BuildableReference>
              </BuildableProductRunnable>
              <EnvironmentVariables>\(variables)</EnvironmentVariables>
           </LaunchAction>
        </Scheme>
        """
    }

    private static func variable(_ key: String, _ value: String, isEnabled: Bool = true) -> String {
        """
        <EnvironmentVariable
           key = "\(key)"
           value = "\(value)"
           isEnabled = "\(isEnabled ? "YES" : "NO")">
        </EnvironmentVariable>
        """
    }

    private func source(_ schemes: [String: String]) throws -> AppSource {
        var files = [
            "ios/My.xcodeproj/project.pbxproj": Project.withGroups, "ios/App/AppDelegate.swift": "",
            "ios/App/Info.plist": "<plist version=\"1.0\"><dict/></plist>", "Shared/Shared.swift": "",
        ]
        for (name, text) in schemes { files["ios/My.xcodeproj/xcshareddata/xcschemes/\(name).xcscheme"] = text }
        return try Fixture(files).read("ios")
    }

    @Test func variables_areThoseOfTheLaunch_thatAreEnabled() throws {
        let text = Self.variable("API", "a &amp;&quot;b&quot; &lt;c&gt;") + Self.variable("OFF", "1", isEnabled: false)
        var source = try source(["My": Self.scheme("My App", text)])
        #expect(try source.choose(scheme: nil) == nil)
        #expect(source.environment == ["API": #"a &"b" <c>"#])
    }

    @Test func firstSchemeIsTaken_unlessAnotherIsNamed() throws {
        var source = try source([
            "Production": Self.scheme("My App", Self.variable("ENVIRONMENT", "production")),
            "Development": Self.scheme("My App", Self.variable("ENVIRONMENT", "development")),
            "Another app": Self.scheme("Another", Self.variable("ENVIRONMENT", "other")),
        ])
        let choice = try source.choose(scheme: nil)
        #expect(source.environment == ["ENVIRONMENT": "development"])
        #expect(
            choice == "The environment is that of the scheme Development. Another one: --scheme NAME, of Development, "
                + "Production.")
        #expect(try source.choose(scheme: "Production") == nil)
        #expect(source.environment == ["ENVIRONMENT": "production"])
        let failure = #expect(throws: BuildFailure.self) { try source.choose(scheme: "Another app") }
        #expect(
            failure?.description
                == "There is no shared scheme Another app that runs the app. There are: Development, Production.")
    }

    @Test func bundleKeepsTheVariables_forCommandsThatGetTheExecutable() throws {
        let fixture = try Fixture([:])
        let bundle = AppBundle(folder: fixture.folder)
        #expect(bundle.environment == [:] && bundle.origins == nil && bundle.runsFlows == nil)
        var source = try source(["My": Self.scheme("My App", Self.variable("A", "1=2&#10;3") + Self.variable("B", ""))])
        _ = try source.choose(scheme: nil)
        try bundle.describe(source, runsFlows: false)
        #expect(bundle.environment == ["A": "1=2\n3", "B": ""] && bundle.origins == [] && bundle.runsFlows == false)
    }
}
