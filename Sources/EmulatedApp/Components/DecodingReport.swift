import BridgeProtocol
import Synchronization

/// Collects the errors of decoding a message's data while a component receives the message. `Message.data()` itself
/// returns nil, as in hotwire-native-ios.
final class DecodingReport: Sendable {
    @TaskLocal static var current: DecodingReport?

    private let found = Mutex(Verdict?.none)

    /// The verdict for the first failure; nil if everything was decoded.
    var verdict: Verdict? { found.withLock { $0 } }

    func note(_ error: any Error, _ data: String, as type: any Any.Type) {
        guard let value = try? ScriptValue(json: JSON.parse(data, .untrusted)) else { return }
        let verdict = Verdict.undecodable(error, value, as: type, under: ["data"])
        found.withLock { $0 = $0 ?? verdict }
    }
}
