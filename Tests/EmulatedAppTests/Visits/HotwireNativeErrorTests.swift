import BridgeProtocol
import Foundation
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
            .http(statusCode: 304), false, .web(WebError(errorCode: 304, message: "Unexpected status code")),
            "Unexpected status code"
        ),
        (
            .networkFailure, true, .web(WebError(URLError(.cannotConnectToHost))),
            "Could not connect to the server."
        ),
        (.networkFailure, false, .web(WebError(errorCode: 0, message: "Network failure")), "Network failure"),
        (
            .timeoutFailure, false, .web(WebError(errorCode: -1, message: "Timeout")), "The request timed out."
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

    /// See `WebError.swift`: a load fails with the code of its own error.
    @Test(arguments: [
        (URLError.Code.notConnectedToInternet, "Could not connect to the server.", ["isOffline"]),
        (.timedOut, "The request timed out.", ["isTimeout"]),
        (.dnsLookupFailed, "Could not connect to the server.", ["isConnectionError"]),
        (.serverCertificateUntrusted, "A secure connection could not be established.", ["isSSLError"]),
        (.httpTooManyRedirects, "Too many redirects occurred.", []),
    ])
    func webError_hasUpstreamsHelpers(_ code: URLError.Code, _ description: String, _ helpers: [String]) {
        let load = WebError(URLError(code))
        let error = HotwireNativeError(.networkFailure, isColdBoot: true, loadError: load, hasAdapter: false)
        let expected =
            #"{"error":"web","errorCode":\#(code.rawValue),"#
            + helpers.map { #""\#($0)":true,"# }.joined() + #""description":"\#(description)"}"#
        #expect(error.json.text == expected)
        // Turbo's own statuses are no codes of URLError.
        #expect(!WebError(errorCode: code.rawValue, message: "").isOffline)
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
            .ios13, readyTimeout: .seconds(30), ["turboIsReady", "pageLoadFailed"])
        #expect(
            notReady
                == #"{"error":"load","cause":"notReady","description":"The page could not be loaded because Turbo is not ready."}"#
        )
        let notPresent = try await error(.ios13, readyTimeout: .milliseconds(20), [])
        #expect(
            notPresent
                == #"{"error":"load","cause":"notPresent","description":"The page could not be loaded because Turbo is not present."}"#
        )
    }

    @Test func releases_haveTurboError() async throws {
        let text = try await error(.ios13Beta, readyTimeout: .seconds(30), ["turboIsReady", "pageLoadFailed"])
        #expect(text == #"{"error":"pageLoadFailure"}"#)
    }
}
