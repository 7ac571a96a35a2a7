import BridgeProtocol
import TestSupport
import Testing

@testable import EmulatedApp

/// The errors of the main branch of hotwire-native-ios, and those of earlier releases.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2))) struct HotwireNativeErrorTests {
    @Test(arguments: [
        (TurboError.http(statusCode: 404), true, HotwireNativeError.http(statusCode: 404), "Not Found"),
        (.http(statusCode: 418), false, .http(statusCode: 418), "Client Error (418)"),
        (.http(statusCode: 599), true, .http(statusCode: 599), "Server Error (599)"),
        (.http(statusCode: 304), true, .load(.invalidResponse), "The server returned an invalid response."),
        (
            .http(statusCode: 304), false, .web(errorCode: 304, message: "Unexpected status code"),
            "Unexpected status code"
        ),
        (
            .networkFailure, true, .web(errorCode: -1004, message: "Could not connect to the server."),
            "Could not connect to the server."
        ),
        (.networkFailure, false, .web(errorCode: 0, message: "Network failure"), "Network failure"),
        (
            .timeoutFailure, false, .web(errorCode: -1, message: "The request timed out."), "The request timed out."
        ),
        (.contentTypeMismatch, true, .load(.contentTypeMismatch), "The server returned an invalid content type."),
    ])
    func hasUpstreamsCases(
        _ error: TurboError, _ isColdBoot: Bool, _ expected: HotwireNativeError, _ description: String
    ) {
        let found = HotwireNativeError(error, isColdBoot: isColdBoot, hasAdapter: true)
        #expect(found == expected)
        #expect(found.errorDescription == description)
    }

    private func error(_ framework: Framework, readyTimeout: Duration, _ posts: [String]) async throws -> String {
        var text = ""
        try await PageFixture.run(readyTimeout: readyTimeout, { $0.framework = framework }) { fixture in
            for post in posts { try await fixture.post(post, post == "turboIsReady" ? #"{"isReady":false}"# : "{}") }
            let record = try await fixture.recorder.first {
                if case .app("visitFailed", _) = $0.event { true } else { false }
            }
            var writer = JSONWriter()
            record.write(to: &writer)
            text = try JSON.parse(writer.text)["error"].map { JSONValue($0).text } ?? ""
            let state = try #require(JSONValue.object(fixture.app.state)["main"]?[0]?["error"])
            #expect(state.text == text)
        }
        return text
    }

    @Test func mainBranch_saysWhatIsMissing() async throws {
        let notReady = try await error(
            .iosMain, readyTimeout: .seconds(30), ["turboIsReady", "pageLoadFailed"])
        #expect(
            notReady
                == #"{"error":"load","cause":"notReady","description":"The page could not be loaded because Turbo is not ready."}"#
        )
        let notPresent = try await error(.iosMain, readyTimeout: .milliseconds(20), [])
        #expect(
            notPresent
                == #"{"error":"load","cause":"notPresent","description":"The page could not be loaded because Turbo is not present."}"#
        )
    }

    @Test func releases_haveTurboError() async throws {
        let text = try await error(.ios13, readyTimeout: .seconds(30), ["turboIsReady", "pageLoadFailed"])
        #expect(text == #"{"error":"pageLoadFailure"}"#)
    }
}
