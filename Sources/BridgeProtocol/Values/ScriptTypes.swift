/// The `types` table of a value: the types that JSON cannot express (docs/protocol.md, "Script values").
///
/// It is a tree of the same shape as the value, but without the branches in which nothing has a type.
public struct ScriptTypes: Sendable, Equatable {
    public enum Kind: String, Sendable {
        case undefined, date, number, ref, utf16
    }

    /// The type of the value itself, or `nil` if its JSON already expresses it.
    public private(set) var kind: Kind?
    private var children: [String: ScriptTypes] = [:]

    init(kind: Kind? = nil) { self.kind = kind }

    /// The types of a member or an element. `nil` if nothing there has a type.
    public func child(_ token: String) -> ScriptTypes? { children[token] }

    /// Whether the value or anything in it has this type.
    public func contains(_ kind: Kind) -> Bool {
        self.kind == kind || children.values.contains { $0.contains(kind) }
    }

    mutating func insert(_ kind: Kind, at tokens: ArraySlice<String>) {
        guard let token = tokens.first else { self.kind = kind; return }
        children[token, default: ScriptTypes()].insert(kind, at: tokens.dropFirst())
    }

    /// Calls `body` for each place that has a type, parents first and members in the order of their names.
    func forEach(from pointer: JSONPointer = JSONPointer(), _ body: (JSONPointer, Kind) -> Void) {
        if let kind { body(pointer, kind) }
        for (token, child) in children.sorted(by: { $0.key < $1.key }) {
            child.forEach(from: pointer.appending(token), body)
        }
    }
}

extension ScriptTypes {
    /// The table as a value: the names of types by JSON Pointer.
    public var json: JSONValue {
        var members: [JSONValue.Member] = []
        forEach { members.append(.init($0.description, .string($1.rawValue))) }
        return .object(members)
    }
}

extension ScriptTypes: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            forEach { writer.member(named: $0.description, $1.rawValue) }
        }
    }
}
