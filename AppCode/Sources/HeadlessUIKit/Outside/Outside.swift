/// Hardware that this machine lacks, such as a camera or a location sensor. An app gets the answers of a device without
/// it.
@MainActor enum Outside {
    private static var reported: Set<String> = []

    /// Says once that an app has used something that is not there.
    /// - Parameter name: the type that was used.
    static func report(_ name: String, _ text: String) {
        guard reported.insert(name).inserted else { return }
        Transitions.shared.warn("\(name): \(text)")
    }
}
