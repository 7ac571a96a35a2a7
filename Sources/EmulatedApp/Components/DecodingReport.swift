import BridgeProtocol
import Synchronization

/// Why the data of the message that is being received did not decode. `Message.data()` answers with nil, as upstream
/// does; this is where the reason goes.
final class DecodingReport: Sendable {
    @TaskLocal static var current: DecodingReport?

    private let found = Mutex(Verdict?.none)

    /// The first reason.
    var verdict: Verdict? { found.withLock { $0 } }

    func note(_ error: any Error, _ data: String, as type: any Any.Type) {
        guard let value = try? ScriptValue(json: JSON.parse(data)) else { return }
        let verdict = Verdict.undecodable(error, value, as: type, under: ["data"])
        found.withLock { $0 = $0 ?? verdict }
    }
}
