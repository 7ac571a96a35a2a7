import BridgeBrowsers
package import BridgeTraffic
package import Foundation

/// An nginx in front of an app's server, which puts `bridge.js` into the app's documents. It ends with this process.
@MainActor package final class AppProxy {
    package enum Failure: Error, Equatable, CustomStringConvertible {
        case missing
        case noFolder
        case portInUse(UInt16)
        case ended(String)

        package var description: String {
            switch self {
            case .missing: "--app needs nginx, which is not installed. Install it: apt-get install nginx-light"
            case .noFolder: "--app needs a folder for temporary files, and none could be made. Is TMPDIR right?"
            case .portInUse(let port): "The port \(port) for the app is in use. Give another: --app-port PORT"
            case .ended(let text): "nginx did not start: \(text)"
            }
        }
    }

    private let settings: ProxySettings
    private let traffic: TrafficLog
    private(set) var process: Process?
    private var notes: ProxyNotes?
    private var folder: URL?
    private var isStopping = false
    private var isListening = false
    private var hasEnded = false

    package init(_ settings: ProxySettings, traffic: TrafficLog) {
        self.settings = settings
        self.traffic = traffic
    }

    /// Starts nginx, and returns the port when it listens.
    /// - Parameter executable: nginx itself; looked up in PATH and in the folders for administrators if nil.
    package func start(executable: URL? = nil) async throws(Failure) -> UInt16 {
        guard let nginx = executable ?? AppProxy.find() else { throw .missing }
        guard let folder = try? FileManager.default.makeTemporaryFolder("bridged-proxy") else { throw .noFolder }
        self.folder = folder
        let port = settings.port == 0 ? Socket.freePort() ?? ProxySettings.defaultPort : settings.port
        let configuration = NginxConfiguration(settings: settings, folder: folder.path, port: port)
        let file = folder.appendingPathComponent("nginx.conf")
        do { try Data(configuration.text.utf8).write(to: file) } catch { throw .noFolder }
        notes = ProxyNotes(traffic, at: folder.appendingPathComponent("notes").path)
        let errors = folder.appendingPathComponent("errors")
        do { try run(nginx, ["-p", folder.path, "-c", file.path], errors: errors) } catch { throw .ended("\(error)") }
        try await waitUntilItListens(folder.appendingPathComponent("nginx.pid"), port)
        isListening = true
        return port
    }

    private static func find() -> URL? {
        Executables.find(["nginx"])
            ?? Executables.find(["nginx"], in: ["/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin"])
    }

    private func run(_ nginx: URL, _ arguments: [String], errors: URL) throws {
        let process = Process()
        process.executableURL = nginx
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try Data().write(to: errors)
        process.standardError = try FileHandle(forWritingTo: errors)
        process.endWithParent()
        try process.run()
        process.whenEnded { [weak self] in
            Task { @MainActor in self?.ended() }
        }
        self.process = process
    }

    /// nginx writes its process file when it listens.
    private func waitUntilItListens(_ file: URL, _ port: UInt16) async throws(Failure) {
        let deadline = ContinuousClock.now + .seconds(10)
        while !FileManager.default.fileExists(atPath: file.path) {
            if hasEnded || ContinuousClock.now > deadline {
                let text = errors
                stop()
                throw text.contains("Address already in use") ? .portInUse(port) : .ended(AppProxy.lastLine(of: text))
            }
            try? await Task.sleep(for: .milliseconds(10))
        }
    }

    /// What nginx has written to standard error.
    private var errors: String {
        folder.flatMap { try? String(contentsOf: $0.appendingPathComponent("errors"), encoding: .utf8) } ?? ""
    }

    private func ended() {
        hasEnded = true
        guard !isStopping, isListening else { return }
        traffic.problem(
            "proxyEnded", "nginx has ended, so that the app is no longer served: \(AppProxy.lastLine(of: errors))",
            hint: "Start bridged again.")
        stop()
    }

    private static func lastLine(of text: String) -> String {
        text.split(whereSeparator: \.isNewline).last.map(String.init) ?? "it said nothing."
    }

    /// Ends nginx, and deletes its files. A second call does nothing.
    package func stop() {
        isStopping = true
        process?.end()
        process = nil
        notes?.stop()
        notes = nil
        if let folder { try? FileManager.default.removeItem(at: folder) }
        folder = nil
    }

    isolated deinit { stop() }
}
