import BridgeProcesses
import BridgeTesting
public import Foundation

/// A web app with one HTML page on its own origin, served by Python's `http.server`.
public final class StaticApp: Sendable {
    public let url: String
    private let process: ChildProcess
    /// The folder that it serves.
    public let folder: URL

    public init(_ html: String) async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("bridged-app-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(html.utf8).write(to: folder.appendingPathComponent("index.html"))
        let output = Pipe.withoutInheritance()
        process = try ChildProcess(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["python3", "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", folder.path],
            output: .pipe(output))
        // Python prints "Serving HTTP on 127.0.0.1 port 40123 (http://127.0.0.1:40123/) ..."
        let line = try await offThread { String(decoding: output.fileHandleForReading.readChunk(), as: UTF8.self) }
        url = line.split(separator: "(").last?.split(separator: ")").first.map(String.init) ?? ""
    }

    deinit {
        process.signal(SIGKILL)
        try? FileManager.default.removeItem(at: folder)
    }
}
