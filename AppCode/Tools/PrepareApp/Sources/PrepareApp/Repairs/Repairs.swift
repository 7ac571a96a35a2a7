import Foundation

/// What was cut out of a module so that it compiles. The next build begins with it.
struct Repairs: Codable {
    struct File: Codable {
        /// A hash of the text to which the places belong. In any other text they would mean something else.
        var text: UInt64
        var cuts: [Cut]
    }

    /// A place that is refused and that must not be cut.
    struct Refusal: Codable, Equatable {
        let path: String
        let line: Int
        let text: String
        let reason: String
    }

    var files: [String: File] = [:]
    /// The declarations of types that Linux lacks, by name.
    var types: [String: String] = [:]
    /// Names whose declarations the compiler refuses.
    var impossibleTypes: Set<String> = []
    var refusals: [Refusal] = []

    init() {}

    init(_ file: URL) throws {
        guard let data = try? Data(contentsOf: file) else { return }
        self = (try? JSONDecoder().decode(Repairs.self, from: data)) ?? Repairs()
    }

    func write(to file: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let data = try encoder.encode(self)
        guard (try? Data(contentsOf: file)) != data else { return }
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file)
    }

    /// FNV-1a.
    static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}
