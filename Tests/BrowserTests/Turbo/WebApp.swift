import BridgeProcesses
import BridgeTesting
import Foundation
import TestSupport

/// The web app of Examples/TurboApp on its own port, with the real library that `scripts/install test` fetches.
@MainActor final class WebApp {
    nonisolated enum Library: String, CaseIterable, CustomStringConvertible {
        /// Turbo 7.1, 8.0 and Turbolinks 5.2.
        case turbo, turbo8, turbolinks

        var description: String { rawValue }
        var isTurbo: Bool { self != .turbolinks }
        var file: ThirdParty { ThirdParty(rawValue: rawValue) ?? .turbo }
        var path: String { file.path }
    }

    let port: UInt16
    private let arguments: [String]
    private var process: ChildProcess?

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

    /// The web app of Tests/TurboApp: an import map and modules, as in Rails, with Turbo 8, Stimulus and bridge components.
    static func asInRails() async throws -> WebApp {
        let port = try ListeningSocket().port
        let app = WebApp(
            port,
            [
                Repository.file("Tests/TurboApp/app.py").path, "--port", "\(port)", "--turbo", ThirdParty.turbo8.path,
                "--stimulus", ThirdParty.stimulus.path, "--bridge-library", ThirdParty.hotwireNativeBridge.path,
            ])
        try await app.start()
        return app
    }

    private init(_ port: UInt16, _ arguments: [String]) { (self.port, self.arguments) = (port, arguments) }

    isolated deinit { stop() }

    var url: String { "http://localhost:\(port)" }

    /// Starts the server and waits until it listens.
    func start() async throws {
        let output = Pipe.withoutInheritance()
        process = try ChildProcess(
            URL(fileURLWithPath: "/usr/bin/env"), ["python3", "-u"] + arguments, output: .pipe(output),
            errors: .standardError)
        _ = try await offThread { output.fileHandleForReading.readChunk() }
    }

    /// Stops the server. Later requests get no answer.
    func stop() {
        process?.end()
        process = nil
    }
}
