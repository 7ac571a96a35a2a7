/// The list of WebKit's names in webkit-names.txt, which explains its form.
struct WebKitNames {
    enum Status: String, CaseIterable { case works, compiles, missing, own }

    struct Entry {
        /// Empty for what belongs to no type.
        let type: String
        /// The status of the type itself, if it has no members.
        var status: Status?
        var members: [Status: [String]] = [:]
    }

    private(set) var entries: [Entry] = []

    init(_ text: String) {
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ").map(String.init)
            guard line.hasPrefix(" ") else {
                entries.append(Entry(type: line.dropLast() == "\"\"" ? "" : String(line.dropLast())))
                continue
            }
            let status = Status(rawValue: String(words[0].dropLast()))
            guard let status, !entries.isEmpty else { continue }
            if words.count == 1 { entries[entries.count - 1].status = status }
            entries[entries.count - 1].members[status] = Array(words.dropFirst())
        }
    }

    /// The full names of types and members. A type has every status that it or one of its members has.
    func all(_ isWanted: (Status) -> Bool) -> Set<String> {
        var names: Set<String> = []
        for entry in entries {
            for (status, members) in entry.members where isWanted(status) {
                names.formUnion(members.map { entry.type.isEmpty ? $0 : "\(entry.type).\($0)" })
                if !entry.type.isEmpty, status != .missing || entry.status == .missing { names.insert(entry.type) }
            }
        }
        return names
    }

    /// The table of docs/notes/webkit.md, without what is not in WebKit.
    var table: String {
        var lines = ["| type | works | compiles and does nothing | missing |", "| --- | --- | --- | --- |"]
        for entry in entries where entry.status == nil && entry.members.keys.contains(where: { $0 != .own }) {
            let cells = [Status.works, .compiles, .missing].map { status in
                (entry.members[status] ?? []).map { "`\($0)`" }.joined(separator: ", ")
            }
            let type = entry.type.isEmpty ? "constants" : "`\(entry.type)`"
            lines.append("| \(type) | \(cells.joined(separator: " | ")) |")
        }
        for (status, text) in [
            (Status.works, "These enums work"), (.compiles, "These enums compile and do nothing"),
            (.missing, "These types are missing"),
        ] {
            let types = entries.filter { $0.status == status }.map { "`\($0.type)`" }
            if !types.isEmpty { lines += ["", "\(text): \(types.joined(separator: ", "))."] }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
