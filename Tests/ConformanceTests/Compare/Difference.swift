import Foundation
import TestSupport

/// A case that ends differently in WebKit and in another engine.
struct Difference: Sendable, CustomStringConvertible {
    let engine: CaseEngine
    let smallest: GeneratedCase
    let webKit: String
    let other: String
    /// The seed that makes the case, before it was made smaller.
    let seed: UInt64

    var description: String {
        """
        \(engine), seed \(seed):
            \(smallest.text)
          WebKit  \(webKit)
          \(engine)  \(other)
        """
    }
}

/// A difference whose cause cannot be removed (`known.json`).
struct KnownDifference: Sendable, Decodable {
    let cause: String
    /// The engines that have it. Nil for all of them.
    var engines: [String]?
    /// A regular expression for the text of the smallest case.
    let pattern: String

    static let file = Repository.file("Tests/ConformanceTests/Compare/known.json")

    static func read() throws -> [KnownDifference] {
        try JSONDecoder().decode([KnownDifference].self, from: Data(contentsOf: file))
    }

    func explains(_ difference: Difference) throws -> Bool {
        guard engines?.contains(difference.engine.rawValue) ?? true else { return false }
        return try difference.smallest.text.contains(Regex(pattern))
    }
}
