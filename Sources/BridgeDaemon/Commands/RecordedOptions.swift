/// The options of a recording's command line that its flow needs, too.
struct RecordedOptions {
    /// All but those of the recording itself and those that the command to run it has anyway.
    let shared: [String]

    private static let own = ["--record", "--port", "--in", "--log", "--database", "--keep"]

    /// - Parameter arguments: the whole command line.
    init(_ arguments: [String]) {
        var kept: [String] = []
        var rest = arguments.drop { $0 != "test" }.dropFirst()
        while let argument = rest.popFirst() {
            guard let own = RecordedOptions.own.first(where: { argument == $0 || argument.hasPrefix($0 + "=") }) else {
                kept.append(argument)
                continue
            }
            // Its value is an argument of its own.
            if argument == own { _ = rest.popFirst() }
        }
        shared = kept
    }
}
