import Foundation

/// What a Swift source imports.
enum SourceImports {
    /// The names of the modules that a file imports, in the file's order; none if it cannot be read.
    static func modules(of file: URL) -> [String] {
        modules(in: (try? String(contentsOf: file, encoding: .utf8)) ?? "")
    }

    /// Line by line: in a whole text, a regex would look at thousands of empty lines from each of them.
    static func modules(in text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).compactMap { line in
            let match = line.prefixMatch(
                of:
                    /\s*(?:@\w+(?:\(\w+\))?\s+|(?:public|package|internal|fileprivate|private)\s+)*import\s+(?:(?:class|struct|enum|func|protocol|typealias|var|let)\s+)?(\w+)/
            )
            return match.map { String($0.1) }
        }
    }
}
