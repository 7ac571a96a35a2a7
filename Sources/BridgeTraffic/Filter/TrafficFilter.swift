public import BridgeProtocol

/// A condition for traffic records. Tools, the control methods and flows use the same language for it.
///
/// For example: `dir:toNative handler:nativeApp -name:ActionButton kind:message,reply text:"two words"`. A record must
/// match all terms. `-` negates a term, and commas separate alternative values.
public struct TrafficFilter: Sendable, Equatable {
    /// The part of a record that a term is about. The raw value is its name in the filter language.
    public enum Field: String, Sendable, CaseIterable {
        case direction = "dir"
        case handler, name, node, page
        case webView = "web-view"
        case kind, verdict, reason
        /// The record's whole line, searched as with `grep -i`.
        case text
    }

    public struct Term: Sendable, Equatable {
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
            let isPlain = !value.isEmpty && !value.contains { $0 == "\"" || $0 == "," || $0.isWhitespace }
            return isPlain ? value : "\"\(value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
        }
        return "\(isNegated ? "-" : "")\(field.rawValue):\(values.joined(separator: ","))"
    }
}
