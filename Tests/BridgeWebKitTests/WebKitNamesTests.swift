import BridgeProcesses
import Foundation
import TestSupport
import Testing

/// Compares the list of WebKit's names with the module's public symbols and with docs/notes/webkit.md.
@Suite(.timeLimit(.minutes(2))) struct WebKitNamesTests {
    private func names() throws -> WebKitNames {
        let file = Repository.file("Tests/BridgeWebKitTests/webkit-names.txt")
        return WebKitNames(try String(contentsOf: file, encoding: .utf8))
    }

    #if os(Linux)
        @Test func listAgreesWithTheModule() async throws {
            let folder = try TemporaryFolder()
            let process = try ChildProcess(
                Repository.file("scripts/symbols"),
                ["BridgeWebKit", folder.path("graph"), Executable.beside("Modules").path],
                output: .standardOutput, errors: .standardError)
            #expect(try await offThread { process.waitForEnd().isSuccess })
            let graph = URL(fileURLWithPath: folder.path("graph/BridgeWebKit.symbols.json"))
            let symbols = try SymbolGraph.names(in: Data(contentsOf: graph))
            #expect(symbols.count > 250)

            let names = try names()
            let listed = names.all { $0 != .missing }
            #expect(symbols.subtracting(listed).sorted() == [], "Add these to webkit-names.txt.")
            #expect(listed.subtracting(symbols).sorted() == [], "The module does not have these.")
            #expect(symbols.intersection(names.all { $0 == .missing }).sorted() == [], "These exist by now.")
        }
    #endif

    @Test func documentShowsTheList() throws {
        let file = Repository.file("docs/notes/webkit.md")
        let document = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(document.range(of: "<!-- names -->\n")).upperBound
        let expected = document[..<start] + "\n" + (try names().table)
        if ProcessInfo.processInfo.environment["BRIDGED_WRITE_DOCS"] != nil {
            try Data(expected.utf8).write(to: file)
        }
        #expect(
            try String(contentsOf: file, encoding: .utf8) == expected,
            "Run BRIDGED_WRITE_DOCS=1 swift test --filter WebKitNamesTests")
    }
}

/// The public names in a symbol graph (https://github.com/swiftlang/swift-docc-symbolkit).
private struct SymbolGraph: Decodable {
    struct Symbol: Decodable {
        struct Kind: Decodable { let identifier: String }
        let pathComponents: [String]
        let kind: Kind
    }

    let symbols: [Symbol]

    /// The names without those that belong to every type of their kind: cases, operators and `init(rawValue:)`.
    static func names(in data: Data) throws -> Set<String> {
        let graph = try JSONDecoder().decode(SymbolGraph.self, from: data)
        let names = graph.symbols.filter { symbol in
            !["swift.enum.case", "swift.func.op"].contains(symbol.kind.identifier)
                && symbol.pathComponents.last != "init(rawValue:)"
        }
        return Set(names.map { $0.pathComponents.joined(separator: ".") })
    }
}
