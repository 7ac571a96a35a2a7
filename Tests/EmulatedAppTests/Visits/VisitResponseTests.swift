import BridgeProtocol
import Foundation
import Testing

@testable import EmulatedApp

/// A form's response in the options of a visit.
@Suite struct VisitResponseTests {
    /// Until hotwire-native-ios 1.3, and on Android, `VisitResponse` has no such member.
    @Test(arguments: [
        (Framework.ios12, false), (.ios13Beta, true), (.ios13, true), (.turboIOS71, false), (.android13, false),
    ])
    func redirectedResponse_saysSo_inTheNewestReleasesForIOS(_ framework: Framework, _ says: Bool) throws {
        let url = try #require(URL(string: "https://app.test/"))
        let options = VisitOptions(response: VisitResponse(statusCode: 200, redirected: true, responseHTML: "<p>"))
        var visit = Visit(.javaScript, to: url, options, framework: framework)
        let scripts: [String] = visit.start().compactMap { if case .evaluate(let script) = $0 { script } else { nil } }
        #expect(scripts.map { $0.contains("redirected") } == [says])
    }
}
