/// The four numbers that JSON has no form for, by their JavaScript names.
enum ScriptNumber {
    static let values: [String: Double] = [
        "NaN": .nan, "Infinity": .infinity, "-Infinity": -.infinity, "-0": -0.0,
    ]

    /// `nil` for a number that JSON can carry.
    static func name(of value: Double) -> String? {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Infinity" : "Infinity" }
        return value == 0 && value.sign == .minus ? "-0" : nil
    }
}

extension JSON {
    /// UTF-16 units, where this is an array of nothing else.
    var utf16: [UInt16]? {
        guard kind == .array else { return nil }
        var units: [UInt16] = []
        units.reserveCapacity(count)
        forEachElement { element in
            if let unit = element.number.flatMap(UInt16.init(exactly:)) { units.append(unit) }
        }
        return units.count == count ? units : nil
    }
}
