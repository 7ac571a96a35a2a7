/// The name of a node: a new one each time that a daemon starts, because the new daemon does not know its earlier
/// pages.
enum NodeName {
    /// Digits and letters that cannot be mistaken for each other.
    private static let symbols = Array("23456789abcdefghjkmnpqrstuvwxyz")

    static func random() -> String {
        "n" + String((0..<6).compactMap { _ in symbols.randomElement() })
    }
}
