import BridgeTesting
import BridgeYAML
import Foundation
import TestSupport
import Testing

@testable import BridgeDaemon

/// The files of `bridged test --keep-log`.
@MainActor @Suite struct LogFolderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: folder.path(name), atomically: true, encoding: .utf8)
        return folder.path(name)
    }

    private func flow(_ file: String) throws -> Flow {
        let path = try write("steps: [{open: /}]", to: file)
        return try #require(try Flow.all(in: YAMLFile(path: path)).first)
    }

    @Test func eachFlowHasAFile_alsoIfTheirNamesAreTheSame() throws {
        let (one, other) = (try flow("one.yml"), try flow("other.yml"))
        let (logs, path) = (LogFolder(), folder.path("x-chromium.ndjson"))
        #expect(try logs.clear(path, for: one) == path)
        #expect(try logs.clear(path, for: other) == folder.path("x-chromium-2.ndjson"))
    }

    /// An earlier run, or an attempt that is repeated, has written it.
    @Test func logBegins_withThisRun() throws {
        let flow = try flow("one.yml")
        let (logs, path) = (LogFolder(), try write("{}", to: "x-chromium.ndjson"))
        for _ in 1...2 {
            #expect(try logs.clear(path, for: flow) == path)
            #expect(!FileManager.default.fileExists(atPath: path))
            _ = try write("{}", to: "x-chromium.ndjson")
        }
    }
}
