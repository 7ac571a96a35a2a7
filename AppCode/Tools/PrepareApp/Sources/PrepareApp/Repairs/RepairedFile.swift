import SwiftParser
import SwiftSyntax

/// A file that the rewriter has made, and what is cut out of it.
final class RepairedFile {
    let path: String
    let text: String
    private(set) var cuts: [Cut]
    private(set) lazy var bytes = Array(text.utf8)
    private(set) lazy var tree: SourceFileSyntax = Parser.parse(source: text)
    private(set) lazy var lines = SourceLocationConverter(fileName: path, tree: tree)

    init(path: String, text: String, cuts: [Cut]) {
        (self.path, self.text, self.cuts) = (path, text, cuts)
    }

    var output: String {
        cuts.map { Edit(range: $0.range, replacement: $0.replacement, reason: "") }.applied(to: text)
    }

    /// Adds a cut, which replaces those within it.
    func add(_ cut: Cut) {
        cuts.removeAll { cut.contains($0) }
        cuts.append(cut)
        cuts.sort { $0.start < $1.start }
    }

    /// Cuts the imports of a module that Linux lacks.
    func cutImports(of module: String) {
        let finder = ImportFinder(module)
        finder.walk(tree)
        for node in finder.found {
            let range =
                node.positionAfterSkippingLeadingTrivia.utf8Offset..<node.endPositionBeforeTrailingTrivia.utf8Offset
            add(
                Cut(
                    start: range.lowerBound, end: range.upperBound, replacement: "", kind: .module,
                    line: line(of: range.lowerBound), what: "`module \(module)`", owner: ""))
        }
    }

    /// The imports that were added for the errors of the last compilation.
    private var addedImports: Set<String> = []

    /// Names of Foundation without a prefix, which UIKit has, too.
    private static let foundation: Set = [
        "Bundle", "Calendar", "CharacterSet", "Data", "Date", "DateFormatter", "DispatchQueue", "FileManager",
        "HTTPCookie", "HTTPURLResponse", "IndexPath", "JSONDecoder", "JSONEncoder", "JSONSerialization", "Locale",
        "Notification", "NotificationCenter", "NumberFormatter", "Operation", "OperationQueue", "ProcessInfo", "Thread",
        "TimeInterval", "TimeZone", "Timer", "URL", "URLComponents", "URLQueryItem", "URLRequest", "URLResponse",
        "URLSession", "UUID", "UserDefaults",
    ]

    /// Imports the module that has a missing name, as its prefix says, unless the file imports it. On Apple's systems, other modules or a header of Objective-C bring it.
    func addImport(for error: CompilerError) -> Bool {
        guard error.text.hasPrefix("cannot find "), let name = error.missingName, !name.contains(".") else {
            return false
        }
        guard RepairedFile.foundation.contains(name) || name.prefixMatch(of: /[A-Z]{2,4}[a-z]\w+/) != nil else {
            return false
        }
        let module = name.hasPrefix("WK") ? "WebKit" : "UIKit"
        let statement = "import \(module)"
        if addedImports.contains(statement) { return true }  // The same errors name other things that it brings.
        guard !text.contains(statement), !cuts.contains(where: { $0.replacement.contains(statement) }) else {
            return false
        }
        let earlier = cuts.first { $0.start == 0 && $0.end == 0 }
        cuts.removeAll { $0.start == 0 && $0.end == 0 }
        cuts.insert(
            Cut(
                start: 0, end: 0, replacement: "\(statement); " + (earlier?.replacement ?? ""), kind: .adapted, line: 1,
                what: error.text, owner: ""), at: 0)
        addedImports.insert(statement)
        return true
    }

    private final class ImportFinder: SyntaxVisitor {
        private let module: String
        private(set) var found: [ImportDeclSyntax] = []

        init(_ module: String) {
            self.module = module
            super.init(viewMode: .sourceAccurate)
        }

        override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
            let path = node.path.trimmedDescription
            if path == module || path.hasPrefix("\(module).") { found.append(node) }
            return .skipChildren
        }
    }

    /// Where a place of the output is in the text, and the cut of whose replacement it is a part.
    func origin(of error: CompilerError, in output: [UInt8]) -> (offset: Int, cut: Cut?)? {
        var (line, offset) = (1, 0)
        while line < error.line, offset < output.count {
            if output[offset] == UInt8(ascii: "\n") { line += 1 }
            offset += 1
        }
        guard line == error.line else { return nil }
        return origin(of: offset + max(0, error.column - 1))
    }

    private func origin(of output: Int) -> (offset: Int, cut: Cut?) {
        var shift = 0
        for cut in cuts {
            let start = cut.start + shift
            let end = start + cut.replacement.utf8.count
            if output < start { break }
            // An error about an expression may point to the end of what stands there.
            if output < end { return (cut.start, cut) }
            shift += cut.replacement.utf8.count - (cut.end - cut.start)
        }
        return (min(max(0, output - shift), max(0, text.utf8.count - 1)), nil)
    }

    func line(of offset: Int) -> Int { lines.location(for: AbsolutePosition(utf8Offset: offset)).line }
}
