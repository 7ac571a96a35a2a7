import BridgeProtocol
import BridgeServer
import TestSupport
import Testing

@testable import EmulatedApp

/// Bridge components that a cassette answers for.
@MainActor @Suite(.timeLimit(.minutes(4))) struct RecordedComponentTests {
    private static let cassette = Cassette(
        name: "phone.yml",
        entries: [
            Cassette.Entry(
                .component("form", event: "connect"), .exactly(["submitTitle": "Save"]),
                calls: [StubCall(.function("window.bridge.saved", [1]), delay: .milliseconds(2))],
                replies: [
                    Cassette.ComponentReply(event: "submitted", data: ["title": "Save"], delay: .milliseconds(3)),
                    Cassette.ComponentReply(data: ["n": 1], delay: .milliseconds(1)),
                ]),
            Cassette.Entry(.component("scanner", event: "scan"), .anything, replies: [.init(data: ["code": "42"])]),
        ])

    private static func message(_ component: String, _ event: String, _ data: String) -> String {
        """
        {"id":"7","component":"\(component)","event":"\(event)",\
        "data":{\(data),"metadata":{"url":"http://localhost:3000/"}}}
        """
    }

    private static func reply(_ component: String, _ event: String, _ data: String) -> String {
        #"window.nativeBridge.replyWith({"id":"7","component":"\#(component)","event":"\#(event)","data":\#(data)})"#
    }

    private func run(
        declared: [DeclaredComponent] = [], _ body: @MainActor (PageFixture) async throws -> Void
    ) async throws {
        try await PageFixture.run {
            $0.recordedComponents = ["form", "scanner"]
            $0.declaredComponents = declared
        } _: { fixture in
            fixture.server.play(Self.cassette)
            try await fixture.boot()
            try await body(fixture)
        }
    }

    @Test func cassetteAnswersInPlaceOfTheComponent() async throws {
        try await run { fixture in
            let message = Self.message("form", "connect", #""submitTitle":"Save""#)
            let verdict = try await fixture.post(message, to: "bridge")
            #expect(verdict == .handled)
            #expect(try await fixture.script() == Self.reply("form", "connect", #"{"n":1}"#))
            #expect(try await fixture.script() == "window.bridge.saved(1)")
            #expect(try await fixture.script() == Self.reply("form", "submitted", #"{"title":"Save"}"#))
            #expect(fixture.app.screens.visible?.componentStates["form"]?.isNull != false)
        }
    }

    @Test func appHasTheComponentsOfTheCassette() async throws {
        try await run { fixture in
            #expect(fixture.app.configuration.componentNames.contains("scanner"))
            let verdict = try await fixture.post(Self.message("scanner", "scan", #""a":1"#), to: "bridge")
            #expect(verdict == .handled)
            #expect(try await fixture.script() == Self.reply("scanner", "scan", #"{"code":"42"}"#))
            let names = fixture.app.screens.visible?.bridgeDelegate.componentNames ?? []
            #expect(names.contains("scanner") && names.contains("menu"))
        }
    }

    @Test func missingMessageIsDropped_withTheDifference() async throws {
        try await run { fixture in
            let verdict = try await fixture.post(
                Self.message("form", "connect", #""submitTitle":"Send""#), to: "bridge")
            #expect(verdict.reason == .notInCassette && verdict.at == "/data/submitTitle")
            let unknown = try await fixture.post(Self.message("form", "submitDisabled", #""a":1"#), to: "bridge")
            #expect(unknown.reason == .notInCassette && unknown.at == "/event")
            // A component that the cassette does not have.
            let other = try await fixture.post(Self.message("theme", "connect", #""theme":"dark""#), to: "bridge")
            #expect(other == .handled)
        }
    }

    @Test func declaredEventsComeFirst() async throws {
        let scanner = try DeclaredComponent("scanner", ["scan": ["reply": ["code": "1"]]])
        try await run(declared: [scanner]) { fixture in
            try await fixture.post(Self.message("scanner", "scan", #""a":1"#), to: "bridge")
            #expect(try await fixture.script() == Self.reply("scanner", "scan", #"{"code":"1"}"#))
        }
    }
}
