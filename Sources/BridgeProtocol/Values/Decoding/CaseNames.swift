/// The names of an enum's cases, for the error about a value that is none of them.
enum CaseNames {
    private static let limit = 20

    /// Such as `one of "plus", "minus"`; nil for a type that is no enum with raw values and `CaseIterable`.
    static func of(_ type: any Any.Type) -> String? {
        guard type is any RawRepresentable.Type, let cases = type as? any CaseIterable.Type else { return nil }
        let names = names(of: cases)
        return "one of " + names.prefix(limit).joined(separator: ", ") + (names.count > limit ? ", …" : "")
    }

    private static func names<Cases: CaseIterable>(of type: Cases.Type) -> [String] {
        type.allCases.map { value in
            switch (value as? any RawRepresentable)?.rawValue {
            case let text as String: quoted(text)
            case let raw?: "\(raw)"
            case nil: "\(value)"
            }
        }
    }
}

extension DecodingError {
    /// The place of the value that did not fit.
    var place: [any CodingKey] {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context),
            .keyNotFound(_, let context):
            context.codingPath
        @unknown default: []
        }
    }
}
