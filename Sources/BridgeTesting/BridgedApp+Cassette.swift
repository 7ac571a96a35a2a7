import BridgeProtocol
import BridgeTraffic

/// What a cassette does not have.
extension BridgedApp {
    /// Waits until the daemon has received what the shown page has posted. The result of a script that runs now comes after
    /// that.
    func receivePosts() async {
        if (try? page()) != nil { try? await run("undefined") }
    }

    /// The failure for the first message that the server's cassette does not have and that no earlier call returned; nil if
    /// there is none.
    func takeMissingInCassette() -> BridgedAppFailure? {
        guard let cassette = server.cassette else { return nil }
        let filter = TrafficFilter([
            .init(.kind, "problem"), .init(.reason, ProblemCode.notInCassette.rawValue),
        ])
        let problems = server.traffic.query(filter, limit: .max).records
        guard let problem = problems.first(where: { taken.insert($0.number).inserted }) else { return nil }
        let (text, hint) = (problem.json["text"]?.string ?? "", problem.json["hint"]?.string ?? "")
        return failure("only messages that \(cassette.name) has", "record \(problem.number): \(text) \(hint)")
    }

    func failOnMissingInCassette() throws {
        if let failure = takeMissingInCassette() { throw failure }
    }
}
