import BridgeTesting
import Foundation

/// The logs of one run of flows, a file for each flow.
@MainActor final class LogFolder {
    /// The flows to which the files belong, by path.
    private var owners: [String: String] = [:]

    /// Removes the log that an earlier run or attempt of a flow has left. If the file is another flow's in this run, a
    /// number is added to the name.
    /// - Returns: the path of a file that does not exist.
    func clear(_ path: String, for flow: Flow) throws -> String {
        let owner = "\(flow.file) \(flow.name)"
        let name = (path as NSString).deletingPathExtension
        var (unused, number) = (path, 1)
        while let other = owners[unused], other != owner {
            number += 1
            unused = "\(name)-\(number).ndjson"
        }
        owners[unused] = owner
        if FileManager.default.fileExists(atPath: unused) { try FileManager.default.removeItem(atPath: unused) }
        return unused
    }
}
