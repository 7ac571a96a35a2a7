/// Reads a `types` table and checks it against the value that it describes.
struct ScriptTypesReader {
    private let value: JSON
    private var types = ScriptTypes()
    private var references: [Reference] = []
    private var tokens = 0

    /// The maximum number of tokens in all pointers of a table, targets included. Each is looked up in the value, and a
    /// table of many or deep pointers could otherwise block the loop for seconds.
    private static let tokenLimit = 500_000
    /// How many tokens a pointer counts for in addition to its own, because it takes as long as so many.
    private static let tokensOfPointer = 8

    private struct Reference {
        let pointer: JSONPointer
        let target: JSONPointer
    }

    /// Reads a table. Returns `nil` for an empty one.
    ///
    /// - Throws: `invalidParams` for a table that does not fit the value.
    static func read(_ table: JSON, for value: JSON) throws(RPCError) -> ScriptTypes? {
        guard table.kind == .object else {
            throw .invalidParams(at: "/types", "expected an object, found \(table.summary)")
        }
        guard table.count > 0 else { return nil }
        var reader = ScriptTypesReader(value: value)
        try table.forEachMember { pointer, kind throws(RPCError) in try reader.add(pointer, kind) }
        try reader.checkOrder()
        return reader.types
    }

    private init(value: JSON) { self.value = value }

    private mutating func add(_ text: String, _ name: JSON) throws(RPCError) {
        try count(text)
        guard let pointer = JSONPointer(text) else {
            throw Self.error(text, "expected a JSON Pointer, such as \"/at\"")
        }
        guard let kind = name.string.flatMap(ScriptTypes.Kind.init(rawValue:)) else {
            throw Self.error(text, "expected undefined, date, number, ref or utf16, found \(name.summary)")
        }
        // A pointer that resolves is no deeper than the value, so the table is not deeper either.
        guard let place = value.resolve(pointer: pointer) else { throw Self.error(text, "leads nowhere in the value") }
        if kind == .ref, let target = place.string { try count(target) }
        guard Self.fits(place, kind) else {
            throw Self.error(text, "\(kind) expects \(Self.expectation(of: kind)), found \(place.summary)")
        }
        types.insert(kind, at: pointer.tokens[...])
        if kind == .ref, let target = place.string.flatMap(JSONPointer.init) {
            references.append(Reference(pointer: pointer, target: target))
        }
    }

    private mutating func count(_ pointer: String) throws(RPCError) {
        tokens += Self.tokensOfPointer + pointer.utf8.count { $0 == UInt8(ascii: "/") }
        guard tokens > Self.tokenLimit else { return }
        throw .invalidParams(
            at: "/types",
            "the pointers have more than \(Self.tokenLimit) tokens, with \(Self.tokensOfPointer) more for each pointer. "
                + "Send less at a time.")
    }

    private static func fits(_ place: JSON, _ kind: ScriptTypes.Kind) -> Bool {
        switch kind {
        case .undefined: place.isNull
        case .date: place.isNull || place.string.flatMap(ISO8601.milliseconds) != nil
        case .number: place.string.flatMap { ScriptNumber.values[$0] } != nil
        case .ref: place.string.flatMap(JSONPointer.init) != nil
        case .utf16: [UInt16](place) != nil
        }
    }

    private static func expectation(of kind: ScriptTypes.Kind) -> String {
        switch kind {
        case .undefined: "null"
        case .date: "an ISO 8601 string or null"
        case .number: "\"NaN\", \"Infinity\", \"-Infinity\" or \"-0\""
        case .ref: "a JSON Pointer"
        case .utf16: "an array of numbers from 0 to 65535"
        }
    }

    private static func error(_ pointer: String, _ text: String) -> RPCError {
        .invalidParams(at: "/types", "\(quoted(pointer, limit: 100)): \(text)")
    }

    // MARK: References

    /// Checks that each reference leads to a place before it.
    ///
    /// It numbers all these places in one pass over the value, in the order of the text, so its cost is linear in the
    /// size of the message.
    private func checkOrder() throws(RPCError) {
        guard !references.isEmpty else { return }
        let root = Place()
        let pairs = references.map { ($0, root.place(at: $0.pointer), root.place(at: $0.target)) }
        var count = 0
        root.number(value, count: &count)
        for (reference, place, target) in pairs {
            if target.order > 0, target.order < place.order { continue }
            let problem = target.order > 0 ? "does not come before it" : "leads nowhere"
            throw Self.error(
                reference.pointer.description,
                "its target \(quoted(reference.target.description, limit: 100)) \(problem)")
        }
    }

    /// A place that has a reference, is the target of one, or contains such a place.
    private final class Place {
        /// The place's number in the order of the text, from 1. 0 if the value has no such place.
        private(set) var order = 0
        private var children: [String: Place] = [:]

        func place(at pointer: JSONPointer) -> Place {
            pointer.tokens.reduce(self) { place, token in
                if let child = place.children[token] { return child }
                let child = Place()
                place.children[token] = child
                return child
            }
        }

        func number(_ json: JSON, count: inout Int) {
            count += 1
            order = count
            guard !children.isEmpty else { return }
            if json.kind == .object {
                json.forEachMember { key, value in children[key]?.number(value, count: &count) }
            } else {
                for index in children.keys.compactMap(JSONPointer.index).sorted() {
                    if let element = json[index] { children[String(index)]?.number(element, count: &count) }
                }
            }
        }
    }
}
