import BridgeProtocol
import Foundation
import Testing

@testable import EmulatedApp

/// See turbo-ios, `VisitOptionsHandler.swift` and its issue 224.
@MainActor @Suite(.timeLimit(.minutes(4))) struct VisitOptionsHandlerTests {
    private static let response = """
        "response":{"statusCode":200,"redirected":true,"responseHTML":"<p>Saved"}
        """

    @Test func responseIsKeptForOneMoreVisit() {
        var handler = VisitOptionsHandler()
        let withResponse = VisitOptions(
            action: .replace, response: VisitResponse(statusCode: 200, responseHTML: "<p>Saved"))
        let withoutHTML = VisitOptions(response: VisitResponse(statusCode: 500))
        #expect(handler.process(withoutHTML) == withoutHTML)
        #expect(handler.process(withResponse) == withResponse)
        #expect(handler.process(VisitOptions(action: .restore)) == withResponse)
        #expect(handler.process(VisitOptions(action: .restore)) == VisitOptions(action: .restore))
    }

    @Test(arguments: [
        (Framework.turboIOS71, true), (.stradaIOS10, true), (.turboNavigator, true), (.ios12, false), (.ios13, false),
    ])
    func linkAfterAForm_getsItsResponse_inAppsWithTurboIOS(_ framework: Framework, _ keeps: Bool) async throws {
        try await PageFixture.run({ $0.framework = framework }) { fixture in
            try await fixture.boot()
            func visit(_ path: String, _ options: String) async throws -> String {
                try await fixture.post(
                    "visitProposed", #"{"location":"\#(PageFixture.origin)\#(path)","options":{\#(options)}}"#)
                return try await fixture.script()
            }
            let first = try await visit("/posts/1", #""action":"advance","# + Self.response)
            #expect(first.contains("Saved"))
            #expect(try await visit("/posts/2", #""action":"advance""#).contains("Saved") == keeps)
            #expect(try await visit("/posts/3", #""action":"advance""#).contains("Saved") == false)
        }
    }

    /// Until hotwire-native-ios 1.3, and on Android, `VisitResponse` has no such member.
    @Test(arguments: [
        (Framework.ios12, false), (.ios13, true), (.iosMain, true), (.turboIOS71, false), (.android13, false),
    ])
    func redirectedResponse_saysSo_inTheNewestReleasesForIOS(_ framework: Framework, _ says: Bool) throws {
        let url = try #require(URL(string: "https://app.test/"))
        let options = VisitOptions(response: VisitResponse(statusCode: 200, redirected: true, responseHTML: "<p>"))
        var visit = Visit(.javaScript, to: url, options, framework: framework)
        let scripts: [String] = visit.start().compactMap { if case .evaluate(let script) = $0 { script } else { nil } }
        #expect(scripts.map { $0.contains("redirected") } == [says])
    }
}
