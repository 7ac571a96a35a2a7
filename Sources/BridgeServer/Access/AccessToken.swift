/// The secret that grants tools access to the daemon: 128 random bits as 32 hexadecimal digits.
public struct AccessToken: Sendable, Equatable {
    public let text: String

    public init() {
        var generator = SystemRandomNumberGenerator()
        text = (0..<2).map { _ in generator.next().hexadecimal }.joined()
    }

    /// Whether `guess` is the token. The time this takes does not depend on where the first difference is.
    func matches(_ guess: some StringProtocol) -> Bool {
        let ours = Array(text.utf8)
        let theirs = Array(guess.utf8)
        guard ours.count == theirs.count else { return false }
        var difference: UInt8 = 0
        for (mine, other) in zip(ours, theirs) { difference |= mine ^ other }
        return difference == 0
    }

    public static func == (one: AccessToken, other: AccessToken) -> Bool { one.matches(other.text) }
}
