import Foundation
import TestSupport
import Testing

@testable import BridgeDaemon

/// What is observed in apps of their own, beside what is known of frameworks.
@MainActor @Suite(.timeLimit(.minutes(4))) struct ObservedNameTests {
    @Test func takesNamesWithDots() {
        #expect(ObservedName("myApp.bridge")?.text == "myApp.bridge")
        #expect(ObservedName("window.$app_1")?.text == "$app_1")
        for text in ["", "window.", "a.", "a..b", "a[0]", "a b", "1a", "(x => x)", "a\n"] {
            #expect(ObservedName(text) == nil, "\(text)")
        }
    }

    @Test func areThoseOfTheFile_andTheFunctionsThatRepliesCall() throws {
        let folder = try TemporaryFolder()
        try Data(
            """
            observe: [myApp.bridge, window.greet]
            messages:
              Share: {reply: {call: window.myApp.shared}}
              Again: {reply: {call: myApp.shared}}
              Other: {handler: device, reply: {value: 1}}
              Greet: {reply: {call: greet}}
              Arrow: {reply: {call: (body => body)}}
            """.utf8
        ).write(to: URL(fileURLWithPath: folder.path("bridged.yml")))
        let configuration = try ServeConfiguration(ServeOptions.parse(["--config", folder.path("bridged.yml")]))
        #expect(configuration.server.observed == ["myApp.bridge", "greet", "myApp.shared"])
    }
}
