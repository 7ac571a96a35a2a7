import BridgeProtocol
import Foundation
import TestSupport
import Testing

/// Replays what a page with Turbo 8.0.23 posted in Chromium, and compares the app's calls. It needs no Turbo.
///
/// `BRIDGED_WRITE_RECORDINGS=1 swift test --filter Turbo8Tests.tourPasses` records anew.
///
/// Alone it takes two seconds. It waits for each of some hundred steps, and each time another test may compute for seconds on
/// one of the few threads that all tests share: with two cores, it took five minutes beside the others.
@MainActor @Suite(.timeLimit(.minutes(15))) struct RecordedTurboTests {
    @Test func appAnswersAsRecorded() async throws {
        let file = Repository.file("Tests/EmulatedAppTests/Recordings/turbo/tour.json")
        let steps = try JSON.parse(String(contentsOf: file, encoding: .utf8)).elements
        try #require(steps.count > 100)
        try await PageFixture.run { fixture in
            var documents = 1
            for (number, step) in steps.enumerated() {
                let place = Comment(rawValue: "line \(number + 2)")
                if let name = step["post"]?.string {
                    let verdict = try await fixture.post(name, step["data"]?.text ?? "{}")
                    #expect(verdict == .handled, place)
                } else if let call = step["call"]?.string {
                    #expect(try await fixture.script() == call, place)
                    // Turbo changes the history when a visit starts.
                    if let visit = call.firstMatch(of: /Identifier\("([^"]+)"/) { fixture.update(url: String(visit.1)) }
                } else if step["load"] != nil {
                    let url = try #require(try await fixture.destination())
                    documents += 1
                    let path = url.replacing(PageFixture.origin, with: "")
                    try await fixture.attach("d-\(documents)", path: path.isEmpty ? "/" : path)
                } else if let action = step["perform"]?.string {
                    try fixture.app.perform(action)
                } else if let main = step["main"] {
                    #expect(fixture.main == main.elements.compactMap(\.string), place)
                }
            }
        }
    }
}
