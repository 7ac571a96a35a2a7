import Foundation

/// Asks the compiler what it refuses in a module, with the settings of the build and without planning anew.
struct ModuleCheck {
    /// The path of the compiler.
    let compiler: String
    /// What it gets beside the sources.
    let arguments: [String]

    init(compiler: String, arguments: [String]) { (self.compiler, self.arguments) = (compiler, arguments) }

    /// - Parameter build: the folder in which SwiftPM has planned the build.
    /// - Returns: nil if the plan does not have the module.
    init?(_ module: String, in build: URL) {
        guard let plan = try? String(contentsOf: build.appendingPathComponent("debug.yaml"), encoding: .utf8) else {
            return nil
        }
        let mark = "\"-module-name\",\"\(module)\","
        // Another command with the module's name links it.
        let line = plan.split(separator: "\n").first { line in
            [mark, "args: [", "\"-c\","].allSatisfy { line.contains($0) }
        }
        guard let line, let start = line.firstIndex(of: "["),
            let all = try? JSONDecoder().decode([String].self, from: Data(line[start...].utf8)), let first = all.first
        else { return nil }
        self.init(compiler: first, arguments: ModuleCheck.kept(Array(all.dropFirst())))
    }

    private static let dropped: Set = [
        "-emit-dependencies", "-emit-module", "-incremental", "-c", "-enable-batch-mode", "-serialize-diagnostics",
        "-parseable-output", "-emit-objc-header", "-warnings-as-errors", "-g", "-whole-module-optimization",
    ]
    private static let droppedWithValue: Set = [
        "-emit-module-path", "-output-file-map", "-index-store-path", "-emit-objc-header-path",
    ]

    /// The arguments without those that say what is written where.
    private static func kept(_ all: [String]) -> [String] {
        var (kept, rest) = ([String](), all[...])
        while let argument = rest.popFirst() {
            // A value of `-Xcc` belongs to it, whatever it looks like.
            if argument == "-Xcc" || argument == "-Xfrontend" {
                kept += [argument] + [rest.popFirst()].compactMap(\.self)
            } else if droppedWithValue.contains(argument) {
                _ = rest.popFirst()
            } else if argument.hasPrefix("@") {
                // Sources that the build itself has written, such as what finds a bundle of resources.
                let list = (try? String(contentsOfFile: String(argument.dropFirst()), encoding: .utf8)) ?? ""
                let sources = list.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: ["'", "\""]) }
                kept += sources.filter { $0.contains("/DerivedSources/") }
            } else if !dropped.contains(argument), argument.wholeMatch(of: /-j\d+/) == nil {
                kept.append(argument)
            }
        }
        return kept
    }

    /// Compiles the sources in a folder, and writes nothing.
    /// - Returns: what the compiler has written; nil if it has refused nothing.
    func errors(in folder: URL) throws(BuildFailure) -> String? {
        let sources = FolderContent.files(in: folder).filter { $0.hasSuffix(".swift") }
            .map { folder.appendingPathComponent($0).path }
        let result = try Tool(name: compiler).run(
            // As far as SIL, because the compiler finds a variable without a value only there.
            arguments + ["-wmo", "-emit-sil", "-o", "/dev/null", "-suppress-warnings", "-diagnostic-style", "llvm"]
                + ["-no-color-diagnostics"] + sources)
        return result.status == 0 ? nil : result.output
    }

    /// The modules that the sources in a folder import and that Linux lacks, in lines of the compiler. It would name one
    /// only, and nothing else.
    func missingModules(in folder: URL) throws(BuildFailure) -> String {
        let sources = FolderContent.files(in: folder).filter { $0.hasSuffix(".swift") }
            .map { folder.appendingPathComponent($0) }
        var places: [String: String] = [:]
        for source in sources {
            let text = (try? String(contentsOf: source, encoding: .utf8)) ?? ""
            for line in text.split(whereSeparator: \.isNewline) {
                let match = line.prefixMatch(
                    of:
                        /\s*(?:@\w+(?:\(\w+\))?\s+|public\s+|internal\s+)*import\s+(?:(?:class|struct|enum|func|protocol|typealias|var|let)\s+)?(\w+)/
                )
                guard let match else { continue }
                places[String(match.1)] = places[String(match.1)] ?? source.path
            }
        }
        let names = places.keys.sorted()
        let probe = names.map { "#if !canImport(\($0))\n#warning(\"missing \($0)\")\n#endif\n" }.joined()
        let file = folder.deletingLastPathComponent().appendingPathComponent("\(UUID().uuidString).swift")
        try Files.write(Data(probe.utf8), to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let output = try Tool(name: compiler).run(
            arguments.filter { !$0.contains("/DerivedSources/") } + [
                "-typecheck", "-diagnostic-style", "llvm", file.path,
            ]
        ).output
        let missing = names.filter { output.contains("warning: missing \($0)\n") }
        return missing.map { "\n\(places[$0] ?? ""):1:1: error: no such module '\($0)'" }.joined()
    }
}
