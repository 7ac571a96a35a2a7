import BridgeProtocol
import Foundation
import PathConfiguration
import TestSupport
import Testing

@testable import EmulatedApp

/// What the server offers and the app's build lacks.
@MainActor @Suite(.timeLimit(.minutes(4))) struct BinaryTests {
    private func run(
        _ rules: String, _ framework: Framework = .ios12, _ change: (inout Binary) -> Void,
        _ body: @MainActor (PageFixture) async throws -> Void
    ) async throws {
        try await PageFixture.run {
            $0.framework = framework
            $0.components.removeAll { $0.name != "form" }
            $0.binary.name = "1.0"
            change(&$0.binary)
            $0.pathConfiguration = PathConfiguration(
                sources: [.data(Data("{\"rules\":[\(rules)]}".utf8))], options: framework.pathOptions())
        } _: { fixture in
            try await body(fixture)
        }
    }

    private static let image = #"{"patterns":["/image$"],"properties":{"view_controller":"image_viewer"}}"#

    @Test func componentThatTheBuildLacks_isReportedOnce() async throws {
        try await run("") { _ in
        } _: { fixture in
            try await fixture.boot()
            let missing = #"{"name":"unsupportedComponent","component":"nfc","element":"<button> \"Scan\""}"#
            for _ in 1...2 { #expect(try await fixture.post(missing, to: "bridge") == .handled) }
            let text = #"The component "nfc" is not registered in 1.0: the page's <button> "Scan" does nothing."#
            #expect(try await fixture.recorder.problem("componentNotRegistered").text == text)
            #expect(fixture.problems("componentNotRegistered") == [text])
        }
    }

    /// A page can name any number of components, each of any length.
    @Test func componentsThatTheBuildLacks_areFewForAPage() async throws {
        try await run("") { _ in
        } _: { fixture in
            try await fixture.boot()
            let name = String(repeating: "x", count: 1_000)
            for number in 1...150 {
                let missing = #"{"name":"unsupportedComponent","component":"\#(number)\#(name)"}"#
                #expect(try await fixture.post(missing, to: "bridge") == .handled)
            }
            let kept = try #require(fixture.app.binaryFindings.components.names.values.first)
            #expect(fixture.app.binaryFindings.components.names.count == 1 && kept.count == 100)
            #expect(kept.allSatisfy { $0.utf8.count < 300 })
        }
    }

    @Test func messageToAComponentThatTheBuildLacks_isDropped_andReported() async throws {
        try await run("") { _ in
        } _: { fixture in
            try await fixture.boot()
            let body = """
                {"id":"1","component":"nfc","event":"connect","data":{"metadata":{"url":"http://localhost:3000/"}}}
                """
            #expect(try await fixture.post(body, to: "bridge").reason == .unknownComponent)
            let text = try await fixture.recorder.problem("componentNotRegistered").text
            #expect(text == #"The component "nfc" is not registered in 1.0: the page's message to it does nothing."#)
        }
    }

    @Test func componentOfTheAppsOwn_isListed_andNotEmulated() async throws {
        try await run("") {
            $0.ownComponents = ["cart"]
        } _: { fixture in
            try await fixture.boot()
            let agent = try #require(fixture.server.scope(for: "main")?.applicationNameForUserAgent)
            #expect(agent.hasSuffix("bridge-components: [form cart]"), "\(agent)")
            let body = """
                {"id":"1","component":"cart","event":"connect","data":{"metadata":{"url":"http://localhost:3000/"}}}
                """
            #expect(try await fixture.post(body, to: "bridge").reason == .componentNotEmulated)
            #expect(fixture.problems("componentNotRegistered") == [])
        }
    }

    @Test func viewControllerThatTheBuildLacks_becomesAWebScreen_andIsReported() async throws {
        let known = #"{"patterns":["/numbers$"],"properties":{"view_controller":"numbers"}}"#
        try await run("\(known),\(Self.image)") {
            $0.nativeScreens = ["numbers"]
        } _: { fixture in
            #expect(
                fixture.problems("screenNotRegistered") == [
                    #"The view_controller "image_viewer" is not registered in 1.0: for /image$, the app shows a web screen."#
                ])
            try await fixture.boot()
            try fixture.app.perform("visit", ["url": "/numbers"])
            try fixture.app.perform("visit", ["url": "/image"])
            #expect(fixture.app.navigation.main.map(\.kind) == [.web, .native("numbers"), .web])
        }
    }

    @Test func buildThatDoesNotSay_hasEachNativeScreen() async throws {
        try await run(Self.image) { _ in
        } _: { fixture in
            #expect(fixture.problems("screenNotRegistered") == [])
            try await fixture.boot()
            try fixture.app.perform("visit", ["url": "/image"])
            #expect(fixture.app.visibleScreen?.kind == .native("image_viewer"))
        }
    }

    @Test func urisThatTheBuildLacks_areReported_withWhatIsShown() async throws {
        let rules = [
            #"{"patterns":["/a$"],"properties":{"uri":"hotwire://fragment/a"}}"#,
            #"{"patterns":["/b$"],"properties":{"uri":"hotwire://fragment/b","fallback_uri":"hotwire://fragment/web"}}"#,
            #"{"patterns":["/c$"],"properties":{"uri":"hotwire://fragment/c"}}"#,
        ]
        try await run(rules.joined(separator: ","), .android13) {
            $0.uris = ["hotwire://fragment/c"]
        } _: { fixture in
            #expect(
                fixture.problems("screenNotRegistered") == [
                    #"The uri "hotwire://fragment/a" is not registered in 1.0: for /a$, the app shows nothing."#,
                    #"The uri "hotwire://fragment/b" is not registered in 1.0: for /b$, the app shows its fallback_uri "hotwire://fragment/web"."#,
                ])
        }
    }
}

extension PageFixture {
    /// The texts of the problems with that code, the oldest first.
    func problems(_ code: String) -> [String] {
        server.traffic.query(limit: .max).records.compactMap { record in
            record.json["code"]?.string == code ? record.json["text"]?.string : nil
        }
    }
}
