import BridgeBrowsers
import BridgeTesting
import Foundation
import TestSupport

/// The web app of Examples/TurboApp on its own port, with the real library that `scripts/install test` fetches.
@MainActor final class WebApp {
    nonisolated enum Library: String, CaseIterable, CustomStringConvertible {
        case turbo, turbolinks

        var description: String { rawValue }
        var path: String { Repository.file(".third-party/\(rawValue).js").path }
    }

    let port: UInt16
    private let arguments: [String]
    private var process: Process?

    /// - Parameters:
    ///   - bridge: the address of the daemon's bridge.js; nil serves the app as in production, without it.
    ///   - isDemo: serves the pages of the frameworks' own demo app.
    init(_ library: Library, bridge: String? = nil, port: UInt16? = nil, isDemo: Bool = false) async throws {
        self.port = try port ?? ListeningSocket().port
        arguments =
            [
                Repository.file("Examples/TurboApp/app.py").path, "--port", "\(self.port)", "--library",
                library.path,
            ] + (bridge.map { ["--bridge", $0] } ?? ["--strict"]) + (isDemo ? ["--demo"] : [])
        try await start()
    }

    isolated deinit { stop() }

    var url: String { "http://localhost:\(port)" }

    /// Starts the server and waits until it listens.
    func start() async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-u"] + arguments
        let output = Pipe.withoutInheritance()
        process.standardOutput = output
        process.endWithParent()
        try process.run()
        self.process = process
        _ = try await offThread { output.fileHandleForReading.readChunk() }
    }

    /// Stops the server. Later requests get no answer.
    func stop() {
        process?.end()
        process = nil
    }
}
