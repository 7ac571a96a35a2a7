import Foundation

/// A temporary folder, which is deleted when it is released.
class Folder {
    private let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("bridged-app-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    func write(_ text: String, to name: String) throws {
        let file = url.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    func read(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

    /// Makes an empty file, to be written.
    func handle(_ name: String) throws -> FileHandle {
        try write("", to: name)
        return try FileHandle(forWritingTo: URL(fileURLWithPath: path(name)))
    }
}

/// A web app of files, on an origin of its own, which Python's `http.server` serves.
final class Site: Folder {
    private let process = Process()
    private(set) var origin = ""

    /// - Parameter files: texts by their paths.
    init(_ files: [String: String]) async throws {
        try super.init()
        for (name, text) in files { try write(text, to: name) }
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", path(""),
        ]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        // Python prints "Serving HTTP on 127.0.0.1 port 40123 (http://127.0.0.1:40123/) ..."
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        origin = line.split(separator: "(").last?.split(separator: "/)").first.map(String.init) ?? ""
    }

    deinit {
        // SIGTERM may not arrive: a child inherits the blocked signals of the thread that starts it.
        kill(process.processIdentifier, SIGKILL)
    }
}
