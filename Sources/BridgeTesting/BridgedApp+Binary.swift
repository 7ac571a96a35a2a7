import BridgeProtocol
import BridgeTraffic
import EmulatedApp

extension BridgedApp {
    /// What the server offered so far and the app's build lacks, in the order in which it was found.
    func binaryFindings() async -> [String] {
        // What the page has posted before a script ran has been received when its result has.
        if (try? page()) != nil { try? await run("undefined") }
        let problems = server.traffic.query(TrafficFilter([.init(.kind, "problem")]), limit: .max).records
        return problems.reduce(into: []) { findings, record in
            guard EmulatedApp.codesOfBinaryFindings.contains(record.json["code"]?.string ?? ""),
                let text = record.json["text"]?.string, !findings.contains(text)
            else { return }
            findings.append(text)
        }
    }
}
