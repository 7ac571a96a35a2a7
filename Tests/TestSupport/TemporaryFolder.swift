import BridgeProcesses
public import BridgeProtocol
import Foundation

/// A temporary folder that is removed when it is released.
public final class TemporaryFolder: Sendable {
    private let url: URL

    public init() throws {
        url = try FileManager.default.makeTemporaryFolder("bridged-test")
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    public func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    /// The JSON values of an NDJSON file, without an unfinished last line.
    public func lines(_ name: String) throws -> [JSON] {
        let text = String(decoding: try Data(contentsOf: url.appendingPathComponent(name)), as: UTF8.self)
        return try text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { try JSON.parse($0) }
    }
}
