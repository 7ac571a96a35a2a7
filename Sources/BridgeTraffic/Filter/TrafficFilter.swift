public import BridgeProtocol

/// A condition for traffic records. Tools, the control methods and flows use the same language for it.
///
/// For example: `dir:toNative handler:nativeApp -name:ActionButton kind:message,reply "two words"`. A record must match
/// all terms. `-` negates a term, and commas separate alternative values. A word without a field is searched in the text.
public struct TrafficFilter: Sendable, Hashable {
    /// The part of a record that a term is about. The raw value is its name in the filter language.
    public enum Field: String, Sendable, CaseIterable {
        case direction = "dir"
        case handler, name, node, page
        case webView = "web-view"
        case kind, verdict, reason
        /// The record's whole line, searched as with `grep -i`.
        case text
    }

    public struct Term: Sendable, Hashable {
        public let field: Field
        /// The alternatives: the field must have one of these values.
        public let values: [String]
        public let isNegated: Bool
        /// The search for the values if the field is ``Field/text``; nil for other fields.
        private let search: ByteSearch?

        public init(_ field: Field, _ values: String..., isNegated: Bool = false) {
            self.init(field, values, isNegated: isNegated)
        }

        init(_ field: Field, _ values: [String], isNegated: Bool) {
            self.field = field
            self.values = values
            self.isNegated = isNegated
            search = field == .text ? ByteSearch(texts: values) : nil
        }

        fileprivate func matches(_ facets: TrafficFacets, _ line: () -> [UInt8]) -> Bool {
            search.map { line().withUnsafeBufferPointer($0.matches) } ?? facets[field].map(values.contains) ?? false
        }
    }

    /// A record must match all terms. If there are none, every record matches.
    public var terms: [Term]
    /// Earlier records do not match. The language has no term for this; tools have an option.
    public var since: Timestamp?

    public init(_ terms: [Term] = []) { self.terms = terms }

    /// A filter for the records that match both this filter and another one.
    public func and(_ other: TrafficFilter) -> TrafficFilter {
        var both = TrafficFilter(terms + other.terms)
        both.since = [since, other.since].compactMap(\.self).max()
        return both
    }

    public func matches(_ record: TrafficRecord) -> Bool {
        matches(record.time, record.facets) { StoredRecord(record).line }
    }

    public func matches(_ record: StoredRecord) -> Bool {
        matches(record.time, record.facets) { record.line }
    }

    /// - Parameter line: returns the record as a line of JSON. Called only if a term needs it.
    private func matches(_ time: Timestamp, _ facets: TrafficFacets, line: () -> [UInt8]) -> Bool {
        if let since, time < since { return false }
        return terms.allSatisfy { $0.matches(facets, line) != $0.isNegated }
    }
}

extension TrafficFilter: CustomStringConvertible {
    /// The filter in its own language.
    public var description: String { terms.map(\.description).joined(separator: " ") }
}

extension TrafficFilter.Term: CustomStringConvertible {
    public var description: String {
        let values = values.map { value in
            let scalars = value.unicodeScalars
            let isPlain = !value.isEmpty && !scalars.contains { $0 == "\"" || $0 == "," || $0.properties.isWhitespace }
            guard !isPlain else { return value }
            let escaped = scalars.flatMap { $0 == "\\" || $0 == "\"" ? ["\\", $0] : [$0] as [Unicode.Scalar] }
            return "\"\(String(escaped))\""
        }
        return "\(isNegated ? "-" : "")\(field.rawValue):\(values.joined(separator: ","))"
    }
}

extension TrafficFilter {
    /// Reads a filter such as `dir:toNative -name:ActionButton text:"two words"`. Every record matches an empty text.
    /// - Throws: ``TrafficFilterError`` for an unknown field, or a value that the field can't have.
    public init(parsing text: String) throws(TrafficFilterError) {
        var parser = TrafficFilterParser(text)
        var terms: [Term] = []
        while let term = try parser.next() { terms.append(term) }
        self.init(terms)
    }

    /// Makes a filter with one term, such as the param `direction` of a control method.
    /// - Throws: ``TrafficFilterError`` for a value that the field can't have.
    public init(_ field: Field, is value: String) throws(TrafficFilterError) {
        if let problem = field.problem(with: value) {
            throw TrafficFilterError(
                message: problem.message, text: value, offset: 0, length: max(1, value.count),
                suggestion: problem.suggestion)
        }
        self.init([Term(field, value)])
    }
}

extension TrafficFilter.Field {
    /// Reads a field's name in the filter language or in a record.
    fileprivate init?(spelling: String) {
        switch spelling {
        case "direction": self = .direction
        case "webView": self = .webView
        default: self.init(rawValue: spelling)
        }
    }

    /// All values that the field can have; nil if it can have any.
    private var choices: [String]? {
        switch self {
        case .direction: TrafficRecord.Direction.allCases.map(\.rawValue)
        case .kind: TrafficRecord.Kind.allCases.map(\.rawValue)
        case .verdict: Verdict.Outcome.allCases.map(\.rawValue)
        default: nil
        }
    }

    fileprivate func problem(with value: String) -> (message: String, suggestion: String?)? {
        guard let choices, !choices.contains(value) else { return nil }
        return (
            "\(rawValue) is \(choices.joined(separator: ", ")), not \(quoted(value)).",
            EditDistance.nearest(to: value, in: choices)
        )
    }
}

/// Reads Unicode scalars, because a character may be a colon or a quotation mark together with an accent that follows it.
private struct TrafficFilterParser {
    private let text: String
    private let scalars: [Unicode.Scalar]
    private var position = 0

    init(_ text: String) {
        self.text = text
        scalars = Array(text.unicodeScalars)
    }

    private var current: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    mutating func next() throws(TrafficFilterError) -> TrafficFilter.Term? {
        while current?.properties.isWhitespace == true { position += 1 }
        guard current != nil else { return nil }
        let isNegated = skip("-")
        let field = try field()
        var values = [try value(of: field)]
        while skip(",") { values.append(try value(of: field)) }
        return TrafficFilter.Term(field, values, isNegated: isNegated)
    }

    /// Reads the name of a field and its colon. A word without them is a value of ``TrafficFilter/Field/text``.
    private mutating func field() throws(TrafficFilterError) -> TrafficFilter.Field {
        let start = position
        let word = take { $0 != ":" && $0 != "\"" && !$0.properties.isWhitespace }
        guard skip(":") else {
            guard !word.isEmpty || current == "\"" else {
                throw error("A term is missing: write a word, or field:value.", from: start)
            }
            position = start
            return .text
        }
        guard let field = TrafficFilter.Field(spelling: word) else {
            position -= 1
            let names = TrafficFilter.Field.allCases.map(\.rawValue)
            throw error(
                "There is no field \(quoted(word)); there are \(names.joined(separator: ", ")).", from: start,
                suggestion: EditDistance.nearest(to: word, in: names + ["direction", "webView"]))
        }
        return field
    }

    private mutating func value(of field: TrafficFilter.Field) throws(TrafficFilterError) -> String {
        let start = position
        let isQuoted = current == "\""
        let value = isQuoted ? try quotedValue() : take { $0 != "," && !$0.properties.isWhitespace }
        if value.isEmpty, !isQuoted { throw error("\(field.rawValue): has no value.", from: start) }
        if let problem = field.problem(with: value) {
            throw error(problem.message, from: start, suggestion: problem.suggestion)
        }
        return value
    }

    private mutating func quotedValue() throws(TrafficFilterError) -> String {
        let start = position
        position += 1
        var value = String.UnicodeScalarView()
        while let scalar = current, scalar != "\"" {
            position += 1
            guard scalar == "\\" else { value.append(scalar); continue }
            guard let escaped = current else { break }
            value.append(escaped)
            position += 1
        }
        guard skip("\"") else { throw error("The quotation mark is not closed.", from: start) }
        return String(value)
    }

    private mutating func take(while condition: (Unicode.Scalar) -> Bool) -> String {
        let start = position
        while let scalar = current, condition(scalar) { position += 1 }
        return String(scalars[start..<position])
    }

    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard current == scalar else { return false }
        position += 1
        return true
    }

    private func error(_ message: String, from start: Int, suggestion: String? = nil) -> TrafficFilterError {
        TrafficFilterError(
            message: message, text: text, offset: String(scalars[..<start]).count,
            length: max(1, String(scalars[start..<max(start, position)]).count), suggestion: suggestion)
    }
}

extension String {
    fileprivate init(_ scalars: some Sequence<Unicode.Scalar>) {
        self.init(Substring.UnicodeScalarView(scalars))
    }
}

/// A mistake in a filter, and its position.
public struct TrafficFilterError: Error, Sendable, Equatable, CustomStringConvertible {
    /// One sentence that says what is wrong.
    public let message: String
    /// The whole filter.
    public let text: String
    /// The position at which the mistake begins, in characters from 0.
    public let offset: Int
    /// The length of the mistake in characters, at least 1.
    public let length: Int
    /// The text that was probably meant in place of the mistake.
    public let suggestion: String?

    /// The message, and the filter with carets below the mistake.
    public var description: String {
        """
        \(message)\(suggestion.map { " Did you mean \($0)?" } ?? "")
          \(text)
          \(String(repeating: " ", count: offset))\(String(repeating: "^", count: length))
        """
    }

    /// The error of a control method whose param `filter` has the mistake.
    public var rpcError: RPCError {
        RPCError(
            .invalidParams, "Invalid params: /filter: \(description)",
            data: [
                "filter": .string(text), "offset": .number(Double(offset)), "length": .number(Double(length)),
                "suggestion": suggestion.map { .string($0) } ?? .null,
            ])
    }
}
