import BridgeProtocol
import Foundation
import TestSupport
import Testing

/// Checks that the documents link to files and sections that exist, and are short enough to be read.
@Suite(.timeLimit(.minutes(4))) struct DocumentLinkTests {
    /// The documents at the top, that of the clients, and everything in `docs`, relative to the repository.
    private static let documents: [String] = {
        let inDocs = FileManager.default.enumerator(atPath: Repository.file("docs").path)
        let names = (inDocs?.allObjects as? [String] ?? []).filter { $0.hasSuffix(".md") }.sorted()
        return ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "clients/README.md"] + names.map { "docs/\($0)" }
    }()

    @Test func findsTheDocuments() {
        #expect(Self.documents.count > 20)
    }

    @Test(arguments: documents) func everyLinkLeadsSomewhere(_ document: String) throws {
        let file = Repository.file(document)
        for link in try prose(of: file).matches(of: /\]\(([^)#]*)(?:#([^)]*))?\)/) {
            let (path, section) = (String(link.1), link.2.map(String.init))
            if path.contains("://") { continue }
            let target = path.isEmpty ? file : file.deletingLastPathComponent().appendingPathComponent(path)
            #expect(FileManager.default.fileExists(atPath: target.path), "\(document) links to \(path).")
            if let section, target.pathExtension == "md" {
                #expect(try sections(of: target).contains(section), "\(document) links to \(path)#\(section).")
            }
        }
    }

    @Test(arguments: documents) func everyPathInCodeExists(_ document: String) throws {
        let folders = /`((?:Benchmarks|Examples|Fuzz|Snippets|Sources|Tests|docs|scripts|web)\/[A-Za-z0-9_\-\/+.]+)`/
        // Notes are about files of their time.
        guard !document.hasPrefix("docs/notes/") else { return }
        for match in try prose(of: Repository.file(document)).matches(of: folders) {
            let path = Repository.file(String(match.1)).path
            #expect(FileManager.default.fileExists(atPath: path), "\(document) names \(match.1).")
        }
    }

    /// As `cat docs/*.md | wc -w` counts. History, figures and what readers rarely need belong in `docs/notes`.
    @Test func userDocumentsHaveAtMost18500Words() throws {
        let pages = Self.documents.filter { $0.wholeMatch(of: /docs\/[^\/]+\.md/) != nil }
        #expect(pages.count > 15)
        let count = try pages.reduce(0) { try $0 + words(of: $1) }
        #expect(count <= 18_500, "docs/*.md have \(count) words. Cut what repeats, or move it to docs/notes.")
        let readme = try words(of: "README.md")
        #expect(readme <= 900, "README.md has \(readme) words. Move what only some readers need to docs.")
    }

    private func words(of document: String) throws -> Int {
        try String(contentsOf: Repository.file(document), encoding: .utf8).split(whereSeparator: \.isWhitespace).count
    }

    /// Hints name the page that has the rule.
    @Test func everyCodeHasAPage() throws {
        let verdicts = try String(contentsOf: Repository.file("docs/verdicts.md"), encoding: .utf8)
        let lists = try #require(verdicts.range(of: "## Reasons"))
        let listed = verdicts[lists.upperBound...].split(separator: "\n").filter { $0.hasPrefix("- ") }.flatMap {
            line in
            line.prefix { $0 != ":" }.matches(of: /`(\w+)`/).map { String($0.1) }
        }
        let pages = try Self.pagesOfCodes()
        #expect(Set(pages.keys).symmetricDifference(listed).sorted() == [])
        for (code, page) in pages {
            let parts = page.split(separator: "#").map(String.init)
            let file = Repository.file("docs/\(parts[0])")
            #expect(FileManager.default.fileExists(atPath: file.path), "\(code) names \(parts[0]).")
            if parts.count > 1 { #expect(try sections(of: file).contains(parts[1]), "\(code) names \(parts).") }
        }
    }

    /// The pages of the codes that are declared in Swift.
    private static func pagesOfCodes() throws -> [String: String] {
        var pages: [String: String] = [:]
        for folder in ["Sources", "AppCode/Sources"].map(Repository.file) {
            let files = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
            for file in files where file.hasSuffix(".swift") {
                let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
                for match in text.matches(of: /(?:Self|ProblemCode)\(\s*"(\w+)", page: "([^"]+)"\)/) {
                    pages[String(match.1)] = String(match.2)
                }
            }
        }
        return pages
    }

    /// A document without its code blocks.
    private func prose(of file: URL) throws -> String {
        try String(contentsOf: file, encoding: .utf8).components(separatedBy: "```").enumerated()
            .filter { $0.offset.isMultiple(of: 2) }.map(\.element).joined()
    }

    /// The anchors of a document's headings, as GitHub makes them.
    private func sections(of file: URL) throws -> [String] {
        try prose(of: file).split(separator: "\n").filter { $0.hasPrefix("#") }.map { heading in
            heading.drop { $0 == "#" || $0 == " " }.lowercased()
                .filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
                .replacing(" ", with: "-")
        }
    }
}
