/// What plain JSON can't say about a JavaScript value: the `types` table of protocol.md, as a trie along the value.
public struct ScriptTypes: Sendable, Equatable {
    /// The types of protocol.md, "Script values".
    public enum Kind: String, Sendable {
        case undefined, date, number, ref, utf16
    }

    /// The type of the place itself; `nil` where it is what its JSON says.
    public private(set) var kind: Kind?
    private var children: [String: ScriptTypes] = [:]

    init(kind: Kind? = nil) { self.kind = kind }

    /// What the table says about a member or element and below; `nil` where it says nothing.
    public func child(_ token: String) -> ScriptTypes? { children[token] }

    /// Whether any place is of that kind.
    public func contains(_ kind: Kind) -> Bool {
        self.kind == kind || children.values.contains { $0.contains(kind) }
    }

    mutating func insert(_ kind: Kind, at tokens: ArraySlice<String>) {
        guard let token = tokens.first else { self.kind = kind; return }
        children[token, default: ScriptTypes()].insert(kind, at: tokens.dropFirst())
    }

    /// Calls `body` for each place with a type, parents first, members in the order of their names.
    func forEach(from pointer: JSONPointer = JSONPointer(), _ body: (JSONPointer, Kind) -> Void) {
        if let kind { body(pointer, kind) }
        for (token, child) in children.sorted(by: { $0.key < $1.key }) {
            child.forEach(from: pointer.appending(token), body)
        }
    }
}

extension ScriptTypes: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            forEach { writer.member(named: $0.description, $1.rawValue) }
        }
    }
}
