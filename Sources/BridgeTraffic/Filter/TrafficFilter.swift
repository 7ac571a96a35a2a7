public import BridgeProtocol

/// Which traffic records somebody wants to see: the one filter language of tools, the API and flows.
///
/// `dir:toNative handler:nativeApp -name:ActionButton kind:message,reply text:"two words"`: all terms must hold, `-`
/// negates one, commas part what may stand in its place.
public struct TrafficFilter: Sendable, Equatable {
    /// What a term looks at, by its name in the filter language.
    public enum Field: String, Sendable, CaseIterable {
        case direction = "dir"
        case handler, name, page
        case webView = "web-view"
        case kind, verdict, reason
        /// Anywhere in the record's line, as `grep -i` would look for it.
        case text
    }

    public struct Term: Sendable, Equatable {
        public let field: Field
        /// One of these must be the field's value.
        public let values: [String]
        public let isNegated: Bool
        /// The bytes that ``Field/text`` looks for: each value as it is, and as it stands within a JSON string.
        private let needles: [[UInt8]]

        public init(_ field: Field, _ values: String..., isNegated: Bool = false) {
            self.init(field, values, isNegated: isNegated)
        }

        init(_ field: Field, _ values: [String], isNegated: Bool) {
            self.field = field
            self.values = values
            self.isNegated = isNegated
            needles = field == .text ? values.flatMap(ByteSearch.needles) : []
        }

        fileprivate func matches(_ facets: TrafficFacets, _ line: () -> [UInt8]) -> Bool {
            field == .text ? contains(in: line()) : facets[field].map(values.contains) ?? false
        }

        private func contains(in line: [UInt8]) -> Bool {
            line.withUnsafeBufferPointer { line in needles.contains { ByteSearch.contains($0, in: line) } }
        }
    }

    /// All must hold. None: every record fits.
    public var terms: [Term]
    /// Only what happened from then on. The language has no term for it: tools have an option of their own.
    public var since: Timestamp?

    public init(_ terms: [Term] = []) { self.terms = terms }

    /// A filter that holds where this one and the other one hold.
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

    /// - Parameter line: the record as one line of JSON; is asked for by a term that needs it only.
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
