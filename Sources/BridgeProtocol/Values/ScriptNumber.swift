/// The four numbers that JSON has no form for, by their JavaScript names.
enum ScriptNumber {
    static let values: [String: Double] = [
        "NaN": .nan, "Infinity": .infinity, "-Infinity": -.infinity, "-0": -0.0,
    ]

    /// The name of the number, or `nil` if JSON can express it.
    static func name(of value: Double) -> String? {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Infinity" : "Infinity" }
        return value == 0 && value.sign == .minus ? "-0" : nil
    }
}

extension JSON {
    /// The UTF-16 units of a string that has a lone surrogate. `nil` if this is not an array of such units.
    var utf16: [UInt16]? {
        guard kind == .array else { return nil }
        let units = elements.compactMap { $0.number.flatMap(UInt16.init(exactly:)) }
        return units.count == count ? units : nil
    }
}
