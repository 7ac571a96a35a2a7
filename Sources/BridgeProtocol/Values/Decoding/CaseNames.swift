/// The raw values of an enum's cases, for the error about a value that is none of them.
enum CaseNames {
    /// The number of names that an error lists.
    private static let limit = 20

    /// Lists the raw values, such as `one of "plus", "minus"`. Returns nil unless the type is a `CaseIterable` with raw
    /// values.
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
