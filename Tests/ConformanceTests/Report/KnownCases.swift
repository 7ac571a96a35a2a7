import Foundation
import TestSupport

/// The cases whose outcome is known to differ from the recording, grouped by cause (`known.json`).
struct KnownCases: Sendable {
    struct Cause: Sendable, Decodable {
        /// The heading in docs/notes/fidelity.md.
        let cause: String
        let reason: String
        /// The ids of the cases that fail in every browser. In an id, `*` matches any text.
        var all: [String]?
        var chromium: [String]?
        var firefox: [String]?
        var webKitGTK: [String]?
        /// The ids of the cases that fail in every browser whose pages load bridge.js by its tag.
        var attached: [String]?
        var drivenChromium: [String]?
        var drivenFirefox: [String]?
        var drivenWebKit: [String]?
        /// The cases that depend on a race, so that they may pass or fail.
        var sometimes: [String]?

        func patterns(in engine: CaseEngine) -> [String] {
            let own =
                switch engine {
                case .chromium: chromium
                case .firefox: firefox
                case .webKitGTK: webKitGTK
                case .drivenChromium: drivenChromium
                case .drivenFirefox: drivenFirefox
                case .drivenWebKit: drivenWebKit
                }
            return (all ?? []) + (engine.driven == nil ? attached ?? [] : []) + (own ?? []) + (sometimes ?? [])
        }
    }

    static let file = Repository.file("Tests/ConformanceTests/known.json")

    let causes: [Cause]

    static func read() throws -> KnownCases {
        KnownCases(causes: try JSONDecoder().decode([Cause].self, from: Data(contentsOf: file)))
    }

    /// Returns the known cause for which a case fails in a browser.
    func cause(of id: String, in engine: CaseEngine) -> Cause? {
        causes.first { $0.patterns(in: engine).contains { KnownCases.matches(id, $0) } }
    }

    /// Returns whether a case may pass or fail.
    func isRace(_ id: String) -> Bool {
        causes.contains { ($0.sometimes ?? []).contains { KnownCases.matches(id, $0) } }
    }

    static func matches(_ id: String, _ pattern: String) -> Bool {
        guard let star = pattern.firstIndex(of: "*") else { return id == pattern }
        let (head, tail) = (pattern[..<star], pattern[pattern.index(after: star)...])
        return id.count >= head.count + tail.count && id.hasPrefix(head) && id.hasSuffix(tail)
    }
}
