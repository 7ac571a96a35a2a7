import BridgeProtocol

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

private struct TrafficFilterParser {
    private let text: String
    private let characters: [Character]
    private var position = 0

    init(_ text: String) {
        self.text = text
        characters = Array(text)
    }

    private var current: Character? { position < characters.count ? characters[position] : nil }

    mutating func next() throws(TrafficFilterError) -> TrafficFilter.Term? {
        while current?.isWhitespace == true { position += 1 }
        guard current != nil else { return nil }
        let isNegated = skip("-")
        let field = try field()
        var values = [try value(of: field)]
        while skip(",") { values.append(try value(of: field)) }
        return TrafficFilter.Term(field, values, isNegated: isNegated)
    }

    private mutating func field() throws(TrafficFilterError) -> TrafficFilter.Field {
        let start = position
        let word = take { $0 != ":" && $0 != "\"" && !$0.isWhitespace }
        guard skip(":") else {
            throw word.isEmpty
                ? error("A term is missing: write field:value.", from: start)
                : error("\(quoted(word)) has no field.", from: start, suggestion: "text:\(word)")
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
        let value = isQuoted ? try quotedValue() : take { $0 != "," && !$0.isWhitespace }
        if value.isEmpty, !isQuoted { throw error("\(field.rawValue): has no value.", from: start) }
        if let problem = field.problem(with: value) {
            throw error(problem.message, from: start, suggestion: problem.suggestion)
        }
        return value
    }

    private mutating func quotedValue() throws(TrafficFilterError) -> String {
        let start = position
        position += 1
        var value = ""
        while let character = current, character != "\"" {
            position += 1
            guard character == "\\" else { value.append(character); continue }
            guard let escaped = current else { break }
            value.append(escaped)
            position += 1
        }
        guard skip("\"") else { throw error("The quotation mark is not closed.", from: start) }
        return value
    }

    private mutating func take(while condition: (Character) -> Bool) -> String {
        let start = position
        while let character = current, condition(character) { position += 1 }
        return String(characters[start..<position])
    }

    private mutating func skip(_ character: Character) -> Bool {
        guard current == character else { return false }
        position += 1
        return true
    }

    private func error(_ message: String, from start: Int, suggestion: String? = nil) -> TrafficFilterError {
        TrafficFilterError(
            message: message, text: text, offset: start, length: max(1, position - start), suggestion: suggestion)
    }
}
