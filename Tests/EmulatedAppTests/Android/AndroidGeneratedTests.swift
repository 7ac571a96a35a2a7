import BridgeProtocol
import Foundation
import PathConfiguration
import Testing

@testable import EmulatedApp

/// Runs generated cases of hotwire-native-android's navigator. Their results come from a second transcription of its sources;
/// see `Recordings/README.md`.
@Suite(.timeLimit(.minutes(2))) struct AndroidGeneratedTests {
    private static let origin = "https://app.test"
    private let recording: JSON

    init() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Recordings/android/generated.json")
        recording = try JSON.parse(String(decoding: Data(contentsOf: file), as: UTF8.self))
    }

    @Test func everyCaseEndsAsTheSourcesSay() throws {
        let options = Framework.android13.pathOptions()
        let document = try PathConfigurationDocument(
            try #require(recording["pathConfiguration"]), options: options)
        let cases = recording["cases"]?.elements ?? []
        #expect(cases.count == 1_500)
        var failed: [String] = []
        for (number, generated) in cases.enumerated() {
            let steps = generated["steps"]?.elements.compactMap(\.string) ?? []
            let expected = generated["expect"]?.elements.compactMap(\.string) ?? []
            let found = try run(steps, from: try #require(generated["start"]?.string), document)
            if found != expected { failed.append("\(number): \(steps) gave \(found), expected \(expected)") }
        }
        #expect(failed.isEmpty, "\(failed.count) of \(cases.count): \(failed.prefix(3))")
    }

    /// Runs steps like `advance /a`, `back` and `clearAll`.
    /// - Returns: for each step the paths on main, those of the modal after a bar, and the visits.
    private func run(_ steps: [String], from start: String, _ document: PathConfigurationDocument) throws -> [String] {
        var navigator = Navigator(
            startLocation: try url(start), framework: .android13, properties: { document.properties(for: $0) },
            handle: { Framework.android13.nativeScreen(of: $0.properties).map { .acceptCustom($0) } ?? .accept })
        _ = navigator.start()
        return try steps.map { step in
            let words = step.split(separator: " ").map(String.init)
            let effects: [NavigationEffect]
            switch words[0] {
            case "back": effects = navigator.back()
            case "clearAll": effects = navigator.clearAll()
            default:
                let action = try #require(VisitAction(rawValue: words[0]))
                effects = navigator.visitProposed(try url(words[1]), action: action, redirected: words.count > 2)
            }
            return text(NavigationOutcome(navigator.state, effects))
        }
    }

    private func text(_ outcome: NavigationOutcome) -> String {
        let visits = outcome.visits.map { "\($0.kind) \($0.action) \(path($0.url.absoluteString))" }
        let stacks = [outcome.state.main, outcome.state.modal].map { $0.map { path($0.name) }.joined(separator: " ") }
        return "\(stacks[0]) | \(stacks[1])" + visits.map { ", \($0)" }.joined()
    }

    private func path(_ text: String) -> String { text.replacingOccurrences(of: Self.origin, with: "") }

    private func url(_ path: String) throws -> URL {
        try #require(URL(string: path.hasPrefix("/") ? Self.origin + path : path))
    }
}
