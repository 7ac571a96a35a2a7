import Foundation
import TestSupport

/// docs/notes/fidelity.md, which contains a list of known cases generated from `known.json`.
struct FidelityDocument {
    static let file = Repository.file("docs/notes/fidelity.md")
    private static let start =
        "<!-- known cases: from Tests/ConformanceTests/known.json; BRIDGED_WRITE_DOCS=1 writes them -->\n"
    private static let end = "<!-- end of known cases -->"

    let text: String

    struct MissingMarkers: Error, CustomStringConvertible {
        let description =
            "\(file.path) has no line '\(start)' followed by '\(end)'. The known cases go between the two."
    }

    static func read() throws -> FidelityDocument {
        FidelityDocument(text: String(decoding: try Data(contentsOf: file), as: UTF8.self))
    }

    /// Returns the document with an up-to-date list.
    func with(_ known: KnownCases) throws -> FidelityDocument {
        guard let start = text.range(of: FidelityDocument.start),
            let end = text.range(of: FidelityDocument.end, range: start.upperBound..<text.endIndex)
        else { throw MissingMarkers() }
        let list = known.causes.map(\.markdown).joined(separator: "\n")
        return FidelityDocument(text: text[..<start.upperBound] + "\n" + list + "\n" + text[end.lowerBound...])
    }

    func write() throws { try text.write(to: FidelityDocument.file, atomically: true, encoding: .utf8) }
}

extension KnownCases.Cause {
    fileprivate var markdown: String {
        let lists = [
            ("", all), ("with the tag: ", attached), ("Chromium: ", chromium), ("Firefox: ", firefox),
            ("WebKitGTK: ", webKitGTK),
            ("driven Chromium: ", drivenChromium), ("driven Firefox: ", drivenFirefox),
            ("driven WebKit: ", drivenWebKit), ("sometimes: ", sometimes),
        ]
        let lines = lists.compactMap { browser, ids in
            ids.map { ids in "- \(browser)\(ids.map { "`\($0)`" }.joined(separator: ", "))" }
        }
        return (["### \(cause)", "", reason, ""] + lines).joined(separator: "\n") + "\n"
    }
}
