import BridgeProcesses
import BridgeTesting
import Foundation

/// A web app with one HTML page on its own origin, served by Python's `http.server`.
public final class StaticApp: Sendable {
    public let url: String
    private let process: Process
    private let folder: URL

    public init(_ html: String) async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("bridged-app-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(html.utf8).write(to: folder.appendingPathComponent("index.html"))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", folder.path,
        ]
        let output = Pipe.withoutInheritance()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.endWithParent()
        try process.run()
        self.process = process
        // Python prints "Serving HTTP on 127.0.0.1 port 40123 (http://127.0.0.1:40123/) ..."
        let line = try await offThread { String(decoding: output.fileHandleForReading.readChunk(), as: UTF8.self) }
        url = line.split(separator: "(").last?.split(separator: ")").first.map(String.init) ?? ""
    }

    deinit {
        // SIGTERM may not arrive: a child inherits the blocked signals of the thread that starts it.
        kill(process.processIdentifier, SIGKILL)
        try? FileManager.default.removeItem(at: folder)
    }
}
