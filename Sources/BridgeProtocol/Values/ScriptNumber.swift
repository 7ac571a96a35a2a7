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
