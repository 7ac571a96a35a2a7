import BridgeTesting
import Foundation

/// Cases that are known to end otherwise than recorded, by cause: `known.json`.
struct KnownCases: Sendable {
    struct Cause: Sendable, Decodable {
        /// A heading for docs/fidelity.md.
        let cause: String
        let reason: String
        /// Ids, where `*` stands for any text: in every browser, or in one.
        var all: [String]?
        var chromium: [String]?
        var firefox: [String]?
        var webKitGTK: [String]?
        /// Cases that a race decides: they may pass.
        var sometimes: [String]?

        func patterns(in engine: Browser.Engine) -> [String] {
            let own =
                switch engine {
                case .chromium: chromium
                case .firefox: firefox
                case .webKitGTK: webKitGTK
                }
            return (all ?? []) + (own ?? []) + (sometimes ?? [])
        }
    }

    static let file = Recordings.repository.appendingPathComponent("Tests/ConformanceTests/known.json")

    let causes: [Cause]

    static func read() throws -> KnownCases {
        KnownCases(causes: try JSONDecoder().decode([Cause].self, from: Data(contentsOf: file)))
    }

    /// The cause for which a case fails in a browser.
    func cause(of id: String, in engine: Browser.Engine) -> Cause? {
        causes.first { $0.patterns(in: engine).contains { KnownCases.matches(id, $0) } }
    }

    /// Whether a case may end either way.
    func isRace(_ id: String) -> Bool {
        causes.contains { ($0.sometimes ?? []).contains { KnownCases.matches(id, $0) } }
    }

    static func matches(_ id: String, _ pattern: String) -> Bool {
        guard let star = pattern.firstIndex(of: "*") else { return id == pattern }
        let (head, tail) = (pattern[..<star], pattern[pattern.index(after: star)...])
        return id.count >= head.count + tail.count && id.hasPrefix(head) && id.hasSuffix(tail)
    }
}
