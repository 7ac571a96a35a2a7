import Foundation

/// What the compiler refuses, with the places in the app's own files.
struct CompilerErrors {
    struct Problem: Hashable {
        /// The file, line and column, as in `/app/Screen.swift:3:7`.
        let place: String
        let text: String
    }

    private(set) var problems: [Problem] = []
    /// Tells why a name is missing.
    private let kinds: MissingKinds

    /// - Parameter originals: the app's own file for the path of each rewritten copy.
    init(_ output: String, originals: [String: String], kinds: MissingKinds = MissingKinds()) {
        self.kinds = kinds
        var seen: Set<Problem> = []
        for line in output.split(whereSeparator: \.isNewline) {
            guard let match = line.wholeMatch(of: /(.+?):(\d+):(\d+): error: (.*)/) else { continue }
            let path = originals[String(match.1)] ?? String(match.1)
            let problem = Problem(place: "\(path):\(match.2):\(match.3)", text: String(match.4))
            // A file may be compiled several times.
            if seen.insert(problem).inserted { problems.append(problem) }
        }
    }

    /// Whether one of them is in a file of a folder.
    func concern(_ folder: URL) -> Bool { problems.contains { $0.place.hasPrefix(folder.path + "/") } }

    /// The names that are missing, each with the number of places, the most frequent first.
    var missing: [(name: String, count: Int)] {
        let names = problems.compactMap { CompilerErrors.missingName($0.text) }
        return Dictionary(grouping: names) { $0 }.map { ($0.key, $0.value.count) }
            .sorted { ($1.count, $0.name) < ($0.count, $1.name) }
    }

    private static func missingName(_ text: String) -> String? {
        if let match = text.firstMatch(of: /cannot find (?:type |operator )?'([^']+)' in scope/) {
            return String(match.1)
        }
        if let match = text.firstMatch(of: /no such module '([^']+)'/) { return "module \(match.1)" }
        if let match = text.firstMatch(of: /type '(?:some )?([^']+)' has no (?:dynamic )?(?:static )?member '([^']+)'/)
        {
            return "\(match.1).\(match.2)"
        }
        if let match = text.firstMatch(of: /unknown attribute '([^']+)'/) { return "@\(match.1)" }
        return nil
    }

    var description: String {
        guard !problems.isEmpty else { return "" }
        let lines = problems.prefix(40).map { "  \($0.place): \($0.text)" }
        let rest = problems.count > 40 ? ["  … and \(problems.count - 40) more"] : []
        let names = missing.map { name, count in
            let times = count == 1 ? "" : " (\(count) places)"
            return "  \(name)\(times): \(kinds.kind(of: name).advice)"
        }
        return (["The compiler refuses:"] + lines + rest + (names.isEmpty ? [] : ["Missing names:"] + names))
            .joined(separator: "\n")
    }
}
